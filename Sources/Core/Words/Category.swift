/// The kind of news a notification type carries. It decides channels, lane, quiet hours, retries and expiry unless the type says otherwise.
public enum Category: String, CaseIterable, Sendable, Hashable {
    /// An answer to something the person did or is owed: an order, a payment, a password reset.
    case transactional
    /// Offers and campaigns.
    case marketing
    /// Actions of other people.
    case social
    /// News of the service itself, and the app's own housekeeping.
    case system

    /// The lane used when neither the type nor the catalogue's policy names one.
    public var defaultLane: Lane {
        switch self {
        case .transactional, .system: .urgent
        case .marketing, .social: .bulk
        }
    }
}
