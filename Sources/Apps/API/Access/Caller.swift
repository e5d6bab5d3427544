import TidingsCore
import TidingsStore

/// The identity behind a request.
enum Caller: Sendable {
    /// An open operation asks for no credentials.
    case anyone
    /// A person, by a token that is valid until a time.
    case person(RecipientKey, until: Timestamp)
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
