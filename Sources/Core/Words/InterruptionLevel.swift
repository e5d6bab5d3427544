/// The degree to which a visible push of a type may disturb, in Apple's words. Platforms without such levels ignore it.
public enum InterruptionLevel: String, CaseIterable, Sendable, Hashable {
    /// Joins the list without sound or light.
    case passive
    /// Disturbs as usual, like a notification without a level.
    case active
    /// Breaks through Focus and summaries, if the app is allowed to.
    case timeSensitive = "time-sensitive"
    /// Sounds even when the device is muted. Apple must have allowed it to the app.
    case critical
}
