public import TidingsCore

/// Returns the pause that `Retry-After` asks for (RFC 9110 section 10.2.3).
///
/// The text is a number of seconds, or a date in any of the three forms of section 5.6.7. A date in the past returns zero. A pause over
/// ``longestRetryAfter`` is cut to that. Any other text returns nil.
public func retryAfter(_ text: String, now: Timestamp) -> Duration? {
    if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
        return Int64(text).map { min(.seconds($0), longestRetryAfter) } ?? longestRetryAfter
    }
    guard let date = httpDate(text, now: now) else { return nil }
    return min(max(.zero, date - now), longestRetryAfter)
}

/// One year. A longer pause is a mistake of the service, and arithmetic with such numbers could overflow.
let longestRetryAfter = Duration.seconds(365 * 86_400)

/// Parses `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` or `Sun Nov  6 08:49:37 1994`. The weekday is not checked.
func httpDate(_ text: String, now: Timestamp) -> Timestamp? {
    let parts = text.split { $0 == " " || $0 == "," || $0 == "-" }.map(String.init)
    switch parts.count {
    case 6 where parts[5] == "GMT":
        return moment(day: parts[1], month: parts[2], year: fullYear(parts[3], now: now), time: parts[4])
    case 5: return moment(day: parts[2], month: parts[1], year: Int(parts[4]), time: parts[3])
    default: return nil
    }
}

private func moment(day: String, month: String, year: Int?, time: String) -> Timestamp? {
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    let clock = time.split(separator: ":").compactMap { Int($0) }
    guard let year, let day = Int(day), let month = months.firstIndex(of: month), clock.count == 3,
        (0...23).contains(clock[0]), (0...59).contains(clock[1]), (0...60).contains(clock[2]),
        let date = CivilDate(validYear: year, month: month + 1, day: day)
    else { return nil }
    return Timestamp(seconds: date.daysSinceEpoch * 86_400 + Int64(clock[0] * 3_600 + clock[1] * 60 + clock[2]))
}

/// Expands a year of two digits to the year with these last digits that is at most 50 years ahead (section 5.6.7).
private func fullYear(_ text: String, now: Timestamp) -> Int? {
    guard let year = Int(text) else { return nil }
    guard text.utf8.count == 2 else { return year }
    let current = CivilDate(daysSinceEpoch: now.wholeSeconds / 86_400).year
    let sameCentury = current - current % 100 + year
    return sameCentury > current + 50 ? sameCentury - 100 : sameCentury
}
