/// The limits of a ``CaptureServer``, which must survive any load.
public enum CaptureLimits {
    /// Requests kept in memory for the control interface, with their bodies. 1,000 requests of 64 KiB need 64 MiB at worst.
    public static let remembered = 1_000
    /// The most bytes of a body that are recorded.
    public static let recordedBodyBytes = 64 << 10
    /// The most bytes of a body that are read and can be verified. A longer body is answered 413.
    public static let acceptedBodyBytes = 1 << 20
    /// Ids whose attempts are counted; each needs about 150 bytes. Further new ids are recorded but not counted, and the stats say so.
    public static let countedIDs = 1_000_000
    /// The longest time that a request hangs, is delayed or drips. Longer than every sender's timeout worth testing.
    public static let longestHold = Duration.seconds(60)
    /// The most bytes of an answer's body.
    public static let answerBytes = 16 << 20
    /// The most behaviours, and the most paths with secrets of their own.
    public static let programmedPaths = 10_000
    /// The most statuses in one script.
    public static let scriptLength = 1_000
}
