import TidingsEncodings

/// Dates and times of RFC 3339 section 5.6. A leap second is accepted only in the last minute of a month in UTC, where one can occur. A
/// time without a date may have one in the last minute of a UTC day.
enum DateFormat {
    static func isDateTime(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.count > 11, text[text.startIndex + 10] | 0x20 == UInt8(ascii: "t"), let date = date(text.prefix(10)),
            let time = time(text.dropFirst(11))
        else { return false }
        guard time.isLeapSecond else { return true }
        // The last day of a month in UTC may be the day before, the same day or the day after by local time.
        return switch time.daysAheadOfUTC {
        case 1: date.day == 1
        case 0: date.day == date.daysOfMonth
        default: date.day == date.daysOfMonth - 1
        }
    }

    static func isDate(_ text: ArraySlice<UInt8>) -> Bool { date(text) != nil }

    static func isTime(_ text: ArraySlice<UInt8>) -> Bool { time(text) != nil }

    private static func date(_ text: ArraySlice<UInt8>) -> (day: Int, daysOfMonth: Int)? {
        var reader = Reader(text)
        guard let year = reader.number(digits: 4), reader.take("-"), let month = reader.number(digits: 2), reader.take("-"),
            let day = reader.number(digits: 2), reader.isAtEnd, 1...12 ~= month
        else { return nil }
        let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
        let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        return 1...days[month - 1] ~= day ? (day, days[month - 1]) : nil
    }

    private static func time(_ text: ArraySlice<UInt8>) -> (isLeapSecond: Bool, daysAheadOfUTC: Int)? {
        var reader = Reader(text)
        guard let hour = reader.number(digits: 2), reader.take(":"), let minute = reader.number(digits: 2), reader.take(":"),
            let second = reader.number(digits: 2), hour < 24, minute < 60, second <= 60
        else { return nil }
        if reader.take(".") {
            guard reader.skipDigits() else { return nil }
        }
        guard let offset = reader.offsetMinutes(), reader.isAtEnd else { return nil }
        // From 0 to three days: the day before in UTC, the same day, and the day after.
        let minutes = hour * 60 + minute - offset + 1_440
        guard second < 60 || minutes % 1_440 == 1_439 else { return nil }
        return (second == 60, 1 - minutes / 1_440)
    }

    private struct Reader {
        private var rest: ArraySlice<UInt8>

        init(_ text: ArraySlice<UInt8>) { rest = text }

        var isAtEnd: Bool { rest.isEmpty }

        mutating func take(_ character: Unicode.Scalar) -> Bool {
            guard rest.first == UInt8(ascii: character) else { return false }
            rest.removeFirst()
            return true
        }

        mutating func number(digits: Int) -> Int? {
            guard rest.count >= digits, rest.prefix(digits).allSatisfy(ASCII.isDigit) else { return nil }
            let value = rest.prefix(digits).reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
            rest.removeFirst(digits)
            return value
        }

        /// Skips digits. Returns false unless there is at least one.
        mutating func skipDigits() -> Bool {
            guard let first = rest.first, ASCII.isDigit(first) else { return false }
            rest = rest.drop(while: ASCII.isDigit)
            return true
        }

        /// Reads `Z`, or a signed hour and minute, as minutes east of UTC.
        mutating func offsetMinutes() -> Int? {
            if take("Z") || take("z") { return 0 }
            let isWest = take("-")
            guard isWest || take("+") else { return nil }
            guard let hour = number(digits: 2), take(":"), let minute = number(digits: 2), hour < 24, minute < 60 else { return nil }
            return isWest ? -(hour * 60 + minute) : hour * 60 + minute
        }
    }
}
