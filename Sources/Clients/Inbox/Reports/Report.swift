/// A statement of an app for the server. The server takes the same report as often as it comes, and counts it once.
public enum Report: Codable, Hashable, Sendable {
    /// A push reached the device.
    case receipt(notificationId: String, deviceId: String)
    /// The person did something, or the app could not read a push.
    case event(EngagementEvent)
}

extension Report {
    /// Reports of a kind go to the same path of the server.
    enum Kind: Hashable, Sendable { case receipt, event }

    var kind: Kind { if case .receipt = self { .receipt } else { .event } }
}

/// Reports that a ``ReportQueue`` has given up. They are not sent again.
public struct ReportFailure: Hashable, Sendable {
    public var reports: [Report]
    /// The refusal of the server, ``InboxError/tooManyReports`` if the queue was full, or the last error of reports that became too old.
    public var error: InboxError

    public init(reports: [Report], error: InboxError) {
        self.reports = reports
        self.error = error
    }
}

/// The state of a ``ReportQueue``.
public struct ReportQueueState: Hashable, Sendable {
    /// Reports that the server does not have yet.
    public var waiting = 0
    /// The error of the last try. The next success clears it.
    public var error: InboxError?
    /// False if the last write to the storage failed: then the reports that wait are lost when the app ends.
    public var isStored = true

    public init() {}
}
