import TidingsPostgres
import TidingsStore

/// The rows of this module that were deleted with a person.
package struct ErasedLikes: Sendable, Hashable {
    /// Likes that the person got or gave.
    package var likes = 0
    package var matches = 0
}

extension Likes {
    /// Deletes every row about a person: likes that the person got or gave, matches, and the unblur. The lists of others lose the person.
    package func erase(_ person: String, tenant: String) async throws -> ErasedLikes {
        let answers = try await store.pool.transaction(retryAmbiguous: true) { transaction in
            try await transaction.pipeline([
                // First, because a router locks this row before it writes a like of the person.
                "delete from tidings.liked_people where tenant = \(tenant) and recipient_id = \(person)",
                "delete from tidings.likes where tenant = \(tenant) and recipient_id = \(person)",
                "delete from tidings.likes where tenant = \(tenant) and liker_id = \(person)",
                "delete from tidings.matches where tenant = \(tenant) and (one_id = \(person) or other_id = \(person))",
                "delete from tidings.unblurs where tenant = \(tenant) and recipient_id = \(person)",
            ])
        }
        return ErasedLikes(likes: answers[1].affectedRows + answers[2].affectedRows, matches: answers[3].affectedRows)
    }
}
