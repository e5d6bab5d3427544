import TidingsCore
import TidingsStore

/// The identity behind a request.
enum Caller: Sendable {
    /// An open operation asks for no credentials.
    case anyone
    /// A person, by a token.
    case person(RecipientKey, PersonProof)
    /// A backend, by its key.
    case key(CallerKey)

    /// The word for the kind of caller in logs. It names nobody.
    var kind: String {
        switch self {
        case .anyone: "anyone"
        case .person: "person"
        case .key: "key"
        }
    }
}

/// The proof of a person, which may end while a stream of the person is open.
struct PersonProof: Sendable {
    /// The time from which the token counts no longer.
    let until: Timestamp
    /// Whether the key that signed the token is still in the set in force.
    let isKeyInForce: @Sendable () -> Bool

    func isGood(at now: Timestamp) -> Bool { now < until && isKeyInForce() }
}
