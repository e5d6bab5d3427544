/// How much a visible push of a type may disturb, in Apple's words. Platforms without such levels do what they do.
public enum InterruptionLevel: String, CaseIterable, Sendable, Hashable {
    /// Joins the list without sound or light.
    case passive
    /// As usual; what a type has that says nothing.
    case active
    /// Breaks through Focus and summaries, where the app may.
    case timeSensitive = "time-sensitive"
    /// Sounds even when the device is muted. Apple must have allowed it to the app.
    case critical
}
