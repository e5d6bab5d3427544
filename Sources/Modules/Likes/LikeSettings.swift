import TidingsCore

/// The settings of likes. The app reads the first two from the server.
extension FeatureSetting {
    /// Whether the app blurs the pictures of people who like the person, except while an unblur is active.
    static let isBlurEnabled = FeatureSetting("is_blur_enabled", .flag(standard: true))

    /// The seconds after which the app asks for new likes again.
    static let likesRefreshInterval = FeatureSetting(
        "refresh_interval_sec", .number(standard: 60, range: 1...longestSeconds, unit: "seconds"))

    /// The seconds for which an unblur is active.
    static let unblurDuration = FeatureSetting(
        "unblur_duration_sec", .number(standard: 600, range: 1...longestSeconds, unit: "seconds"))

    /// A day. A longer time is more likely a number of milliseconds.
    private static let longestSeconds = 86_400
}
