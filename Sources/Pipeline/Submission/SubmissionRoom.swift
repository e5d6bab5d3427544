import Synchronization

/// The memory of the requests that wait for confirms. A blocked broker confirms nothing, and requests would pile up.
package final class SubmissionRoom: Sendable {
    /// The bytes of all bodies together: eight of the largest.
    package static let limit = 32 << 20

    private let taken = Mutex(0)

    /// Takes room for a body. False if there is none, so that the caller asks again later.
    func take(_ bytes: Int) -> Bool {
        taken.withLock { taken in
            guard taken + bytes <= Self.limit else { return false }
            taken += bytes
            return true
        }
    }

    func giveBack(_ bytes: Int) { taken.withLock { $0 -= bytes } }
}
