import Foundation

/// The form of times in HTTP headers: `Wed, 25 Nov 2026 17:28:12 GMT` (RFC 9110, section 5.6.7).
enum HTTPDate {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    static func date(_ text: String) -> Date? {
        let words = text.split(whereSeparator: { $0 == " " || $0 == ":" }).map(String.init)
        guard words.count == 8, words[7] == "GMT", let month = months.firstIndex(of: words[2]) else { return nil }
        let numbers = [words[1], words[3], words[4], words[5], words[6]].compactMap { Int($0) }
        guard numbers.count == 5, (1...31).contains(numbers[0]), numbers[2] < 24, numbers[3] < 60, numbers[4] <= 60 else { return nil }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let parts = DateComponents(
            year: numbers[1], month: month + 1, day: numbers[0], hour: numbers[2], minute: numbers[3], second: numbers[4])
        return calendar.date(from: parts)
    }
}
