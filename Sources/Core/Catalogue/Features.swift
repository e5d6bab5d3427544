/// Settings of the likes of a dating app. Apps read them from the server, so that a change needs no new version of the app.
public struct Features: Sendable, Hashable {
    /// Whether the app blurs the pictures of people who like the person, except while an unblur is active.
    public var isBlurEnabled: Bool
    /// The seconds after which the app asks for new likes again.
    public var refreshIntervalSeconds: Int
    /// The seconds for which an unblur is active.
    public var unblurDurationSeconds: Int

    public init(isBlurEnabled: Bool = true, refreshIntervalSeconds: Int = 60, unblurDurationSeconds: Int = 600) {
        self.isBlurEnabled = isBlurEnabled
        self.refreshIntervalSeconds = refreshIntervalSeconds
        self.unblurDurationSeconds = unblurDurationSeconds
    }
}
