import TidingsCore
import TidingsPostgres
import TidingsStore

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
}
