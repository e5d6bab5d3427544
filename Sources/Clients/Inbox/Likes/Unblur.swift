public import Foundation

/// Settings of the likes: `{is_blur_enabled, refresh_interval_sec}`.
public struct Features: Codable, Hashable, Sendable {
    public var isBlurEnabled: Bool
    /// Seconds between two refreshes of an app without an event stream.
    public var refreshIntervalSeconds: Int

    public init(isBlurEnabled: Bool, refreshIntervalSeconds: Int) {
        self.isBlurEnabled = isBlurEnabled
        self.refreshIntervalSeconds = refreshIntervalSeconds
    }

    private enum CodingKeys: String, CodingKey {
        case isBlurEnabled = "is_blur_enabled"
        case refreshIntervalSeconds = "refresh_interval_sec"
    }
}

/// The state of a person's unblur: `{expires_at, is_active}`.
public struct UnblurState: Codable, Hashable, Sendable {
    /// The end, by the server's clock. Nil when it is over or was never started.
    public var expiresAt: Date?
    public var isActive: Bool

    public init(expiresAt: Date?, isActive: Bool) {
        self.expiresAt = expiresAt
        self.isActive = isActive
    }

    private enum CodingKeys: String, CodingKey {
        case expiresAt = "expires_at"
        case isActive = "is_active"
    }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            expiresAt: try members.serverDateIfPresent(forKey: .expiresAt),
            isActive: try members.decode(Bool.self, forKey: .isActive))
    }

    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(expiresAt.map(ServerDate.text), forKey: .expiresAt)
        try members.encode(isActive, forKey: .isActive)
    }
}

/// The difference between the server's clock and the clock of this device.
public struct ServerClock: Hashable, Sendable {
    /// Seconds that the server is ahead.
    public let offset: TimeInterval

    public init(offset: TimeInterval) { self.offset = offset }

    /// A device whose clock is right.
    public static let same = ServerClock(offset: 0)

    /// Reads the header `Date` of an answer, which has whole seconds. The time of the answer is taken as the middle between the request and
    /// the answer, so the result is right to half a second and half the time on the way. Nil if the header is missing or wrong.
    public init?(dateHeader: String?, sentAt: Date, receivedAt: Date) {
        guard let dateHeader, let date = HTTPDate.date(dateHeader) else { return nil }
        let middle = sentAt.addingTimeInterval(receivedAt.timeIntervalSince(sentAt) / 2)
        offset = date.addingTimeInterval(0.5).timeIntervalSince(middle)
    }

    /// The time of the server at a time of this device.
    public func serverTime(at now: Date) -> Date { now.addingTimeInterval(offset) }
}

/// An unblur as an app shows it. Pure: the time is an argument, and the server's clock decides on every device.
public struct UnblurTimer: Hashable, Sendable {
    public let state: UnblurState
    public let clock: ServerClock

    public init(state: UnblurState, clock: ServerClock = .same) {
        self.state = state
        self.clock = clock
    }

    public func isActive(now: Date) -> Bool { remaining(now: now) > 0 }

    /// Seconds until photos are blurred again. 0 when the unblur is over.
    public func remaining(now: Date) -> TimeInterval {
        guard state.isActive, let end = state.expiresAt else { return 0 }
        return max(0, end.timeIntervalSince(clock.serverTime(at: now)))
    }
}

/// Whether an app shows the photos of likes. Pure.
public struct PhotoVisibility: Hashable, Sendable {
    /// Nil until the app has asked. Then the blur counts as on.
    public var features: Features?
    public var timer: UnblurTimer?

    public init(features: Features? = nil, timer: UnblurTimer? = nil) {
        self.features = features
        self.timer = timer
    }

    /// Visible means: the timer is active, or the blur feature is off.
    public func isVisible(now: Date) -> Bool { features?.isBlurEnabled == false || timer?.isActive(now: now) == true }
}
