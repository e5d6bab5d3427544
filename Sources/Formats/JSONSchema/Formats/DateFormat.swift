import TidingsEncodings

/// Dates and times of RFC 3339 section 5.6. A leap second is accepted only in the last minute of a UTC day, where one can occur.
enum DateFormat {
    static func isDateTime(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.count > 11, text[text.startIndex + 10] | 0x20 == UInt8(ascii: "t") else { return false }
        return isDate(text.prefix(10)) && isTime(text.dropFirst(11))
    }

    static func isDate(_ text: ArraySlice<UInt8>) -> Bool {
        var reader = Reader(text)
        guard let year = reader.number(digits: 4), reader.take("-"), let month = reader.number(digits: 2), reader.take("-"),
            let day = reader.number(digits: 2), reader.isAtEnd, 1...12 ~= month
        else { return false }
        let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
        let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        return 1...days[month - 1] ~= day
    }

    static func isTime(_ text: ArraySlice<UInt8>) -> Bool {
        var reader = Reader(text)
        guard let hour = reader.number(digits: 2), reader.take(":"), let minute = reader.number(digits: 2), reader.take(":"),
            let second = reader.number(digits: 2), hour < 24, minute < 60, second <= 60
        else { return false }
        if reader.take(".") {
            guard reader.skipDigits() else { return false }
        }
        guard let offset = reader.offsetMinutes(), reader.isAtEnd else { return false }
        let minuteOfDay = (hour * 60 + minute - offset + 2 * 1_440) % 1_440
        return second < 60 || minuteOfDay == 1_439
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
