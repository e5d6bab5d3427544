import TidingsContracts
public import TidingsCore

/// An event that an app reports about its person. It is history: it moves no delivery and no inbox entry.
public struct EngagementEvent: Sendable, Hashable {
    /// The kind of an event, as in `tidings.engagement.event`.
    public enum Kind: String, CaseIterable, Sendable {
        /// The app got a push.
        case received
        /// The app showed a notification.
        case displayed
        /// The person opened a notification.
        case opened
        /// The person swiped a notification away.
        case dismissed
        /// The person chose an action of a notification.
        case action
        /// The app could not read a push.
        case unknownPayload
    }

    public var kind: Kind
    /// Nil if the event names no notification.
    public var notification: NotificationID?
    /// The id of a device, as the app told it.
    public var device: String?
    /// The time by the device's clock. Nil if the app told none.
    public var at: Timestamp?
    /// The canonical JSON of an object of texts. Nil if the app told none.
    public var detail: String?

    public init(_ kind: Kind, notification: NotificationID? = nil, device: String? = nil, at: Timestamp? = nil, detail: String? = nil) {
        self.kind = kind
        self.notification = notification
        self.device = device
        self.at = at
        self.detail = detail
    }

    /// The key of the row: the notification, and a hash of everything that the app told.
    ///
    /// An event without a time gets the server's time, so the day of its arrival tells two of them apart.
    func key(at now: Timestamp) -> EngagementKey {
        let time = at.map { "at \($0.microseconds)" } ?? "day \(now.wholeSeconds / 86_400)"
        let parts = [kind.rawValue, notification?.description ?? "", device ?? "", time, detail ?? ""]
        return EngagementKey(notification: notification ?? .absent, hash: Digest128(hashingParts: parts.map { Array($0.utf8) }))
    }
}

/// The part of the primary key of `tidings.engagement` that tells the events of one person apart.
struct EngagementKey: Hashable {
    let notification: NotificationID
    let hash: Digest128
}

extension NotificationID {
    /// The value of a row without a notification, because a column of a primary key cannot be null. No notification has this id.
    fileprivate static let absent = NotificationID(high: 0, low: 0)
}

/// The result of a request with events.
public enum EngagementResult: Sendable, Hashable {
    /// Every event is stored. One element for each event, in their order: whether the event was new.
    case stored([Bool])
    /// Nothing is stored: the person was erased.
    case erased
    /// Nothing is stored: the person has sent as many events as a day allows. The next day begins then.
    case dayIsFull(until: Timestamp)
}
