import Foundation

/// The forms of times in HTTP headers (RFC 9110, section 5.6.7): `Wed, 25 Nov 2026 17:28:12 GMT`, and the two obsolete ones, which a server
/// in between may write: `Wednesday, 25-Nov-26 17:28:12 GMT` and `Wed Nov 25 17:28:12 2026`.
enum HTTPDate {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    static func date(_ text: String) -> Date? {
        let words = text.split(whereSeparator: { $0 == " " || $0 == "," || $0 == "-" }).map(String.init)
        switch words.count {
        case 6 where words[5] == "GMT": return date(day: words[1], month: words[2], year: words[3], time: words[4])
        case 5: return date(day: words[2], month: words[1], year: words[4], time: words[3])
        default: return nil
        }
    }

    private static func date(day: String, month: String, year: String, time: String) -> Date? {
        let clock = time.split(separator: ":").compactMap { Int($0) }
        guard let month = months.firstIndex(of: month), let day = Int(day), let year = Int(year), clock.count == 3,
            (1...31).contains(day), (0...23).contains(clock[0]), (0...59).contains(clock[1]), (0...60).contains(clock[2])
        else { return nil }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        // Two digits are a year of this century: every date of an answer is near the present.
        let parts = DateComponents(
            year: year < 100 ? 2_000 + year : year, month: month + 1, day: day, hour: clock[0], minute: clock[1], second: clock[2])
        return calendar.date(from: parts)
    }

    /// The seconds that `Retry-After` asks for: a number of seconds, or a date (RFC 9110, section 10.2.3). Nil for any other text.
    ///
    /// - Parameter dateHeader: The header `Date` of the same answer. Without it the clock of the device counts.
    static func retryAfter(_ text: String, dateHeader: String?) -> TimeInterval? {
        if !text.isEmpty, text.allSatisfy({ "0"..."9" ~= $0 }) { return TimeInterval(text) }
        guard let date = date(text) else { return nil }
        return max(0, date.timeIntervalSince(dateHeader.flatMap(Self.date) ?? Date()))
    }
}
