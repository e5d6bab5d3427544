/// Bounds of a ``CaptureServer``, which must outlive any load it is put under.
public enum CaptureLimits {
    /// Requests kept in memory for the control interface, with their bodies: 1,000 of 64 KiB are 64 MiB at worst.
    public static let remembered = 1_000
    /// Bytes of a body that are recorded.
    public static let recordedBodyBytes = 64 << 10
    /// Bytes of a body that are read, and so can be verified; a longer one is answered 413.
    public static let acceptedBodyBytes = 1 << 20
    /// Ids whose attempts are counted, about 150 bytes each. Beyond it new ids are recorded but not counted, and the stats say so.
    public static let countedIDs = 1_000_000
    /// Longest time a request is held, hanging, delayed or dripping. Above every sender's time-out worth testing.
    public static let longestHold = Duration.seconds(60)
    /// Bytes of an answer's body.
    public static let answerBytes = 16 << 20
    /// Behaviours and paths with secrets of their own.
    public static let programmedPaths = 10_000
    /// Statuses in one script.
    public static let scriptLength = 1_000
}
