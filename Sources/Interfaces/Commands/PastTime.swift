import TidingsCatalogue
import TidingsCore
import TidingsServer

/// The value of an option that names a past time: an RFC 3339 time, or a duration before now.
enum PastTime {
    /// Throws a ``Failure`` with exit code 65 for any other text.
    static func read(_ text: String, _ option: String, now: Timestamp) throws -> Timestamp {
        if let time = Timestamp(rfc3339: text) { return time }
        guard let duration = DurationText.parse(text) else {
            throw Failure(.data, "\(option) \(text) is neither a time nor a duration", hint: "2026-12-24T18:00:00+01:00, 90m, 2h or 3d")
        }
        return now.adding(.zero - duration)
    }
}
