import TidingsCore
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

/// Erased people of a scene.
extension StoreScene {
    /// Writes the tombstone of a person, without an erasure.
    func bury(_ person: RecipientKey) async throws {
        _ = try await system.query(
            """
            insert into tidings.erased_people (person_hash, erasure, erased_at)
            values (tidings.person_hash(\(person.tenant), \(person.id)), gen_random_uuid(), tidings.clock())
            """)
    }

    /// Runs the turns of a releaser until the erasure is done. Waits are passed by the business clock.
    ///
    /// - Returns: False if it is not done in time.
    func finish(_ erasure: NotificationID) async throws -> Bool {
        let deadline = ContinuousClock.now + .seconds(30).patient
        while ContinuousClock.now < deadline {
            switch try await store.advanceErasure() {
            case .done(let id) where id == erasure: return true
            case .done, .working: continue
            case .waiting, .idle: try await passTime()
            }
        }
        return false
    }

    private func passTime() async throws {
        _ = try await system.query("update tidings.clock_offset set shift = shift + interval '1 second'")
    }
}
