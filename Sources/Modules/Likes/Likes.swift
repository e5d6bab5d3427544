import TidingsPostgres
package import TidingsStore

/// Likes, matches and unblurs of a dating app: a module on top of the pipeline, with tables of its own.
///
/// A like comes from the app's backend: an intent of a type with `projection: likes`, whose recipient is the person who is liked. Its data
/// names the liker. ``LikesProjection`` puts the like into `tidings.likes` when a router accepts the intent. So the like is in the list
/// even if its push is held or suppressed. Before that the like is unknown here, and an answer to it finds nothing.
///
/// **Who matches whom.** Suppose Bo likes Ada: the list of Ada has Bo.
///
/// - Ada answers `like`: the two are a match, whether or not the backend also sends an intent that Ada likes Bo.
/// - Ada answers `pass`: Bo is passed in the list of Ada. Bo learns nothing. Ada may still change the answer.
/// - Ada cannot answer somebody who has not liked her: there is no like to answer. Her own first like is the backend's to send.
/// - The backend sends both likes, and neither has answered: both stay incoming. One answer of either is enough.
/// - Ada has passed Bo, and then Bo answers `like` to a like of Ada: there is no match, and Bo learns nothing. When Ada changes her answer
///   to `like`, the two are a match.
/// - Ada passes after the match: Bo is passed in her list, and Ada stays mutual in his. A later `like` makes no second match.
///
/// A match is one row of `tidings.matches` for the pair. Its primary key decides which of two answers at the same time makes the match, so
/// no order of locks is needed. That transaction also puts both `match` intents into the SQL outbox. The status of a like is read from
/// ``Like/Status``'s two sources: the own answer, and the row of the pair. So a like that is routed after the match is mutual at once.
package struct Likes: Sendable {
    /// The name of the projection, of the event of the stream, and of the kind of signal.
    static let name = "likes"

    let store: Store

    package init(store: Store) {
        self.store = store
    }

    /// Runs a statement with the rights of a person: it sees only that person's rows, whatever its condition says.
    func own<Answer>(_ person: String, _ tenant: String, _ statement: Statement<Answer>) async throws -> Answer {
        try await store.asPerson(RecipientKey(tenant: tenant, id: person), statement)
    }
}
