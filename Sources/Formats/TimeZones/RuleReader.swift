import TidingsEncodings

/// Reads a TZ string. Every method returns nil if the text does not fit.
struct RuleReader {
    private var rest: ArraySlice<UInt8>

    init(_ text: [UInt8]) { rest = text[...] }

    var isAtEnd: Bool { rest.isEmpty }

    typealias Daylight = (offset: Int, start: RuleDay, end: RuleDay)

    mutating func rule() -> (standard: Int, daylight: Daylight?)? {
        guard skipName(), let west = time() else { return nil }
        if isAtEnd { return (-west, nil) }
        guard skipName() else { return nil }
        var daylightWest = west - 3_600
        if rest.first != UInt8(ascii: ",") {
            guard let written = time() else { return nil }
            daylightWest = written
        }
        guard take(","), let start = day(), take(","), let end = day() else { return nil }
        return (-west, (-daylightWest, start, end))
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    /// Skips a name: at least three letters, or any text between angle brackets.
    private mutating func skipName() -> Bool {
        if take("<") {
            guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return false }
            rest = rest[(end + 1)...]
            return true
        }
        let name = rest.prefix(while: ASCII.isLetter)
        rest = rest[name.endIndex...]
        return name.count >= 3
    }

    /// Reads `[+-]hh[:mm[:ss]]` as seconds, up to 167 hours in either direction.
    private mutating func time() -> Int? {
        let isNegative = take("-")
        if !isNegative { _ = take("+") }
        guard let hours = number(through: 167) else { return nil }
        var seconds = hours * 3_600
        for unit in [60, 1] {
            guard take(":") else { break }
            guard let value = number(through: 59) else { return nil }
            seconds += value * unit
        }
        return isNegative ? -seconds : seconds
    }

    private mutating func day() -> RuleDay? {
        if take("M") {
            guard let month = number(through: 12), month > 0, take("."), let week = number(through: 5), week > 0, take("."),
                let weekday = number(through: 6), let time = dayTime()
            else { return nil }
            return .weekday(month: month, week: week, weekday: weekday, time: time)
        }
        if take("J") {
            guard let day = number(through: 365), day > 0, let time = dayTime() else { return nil }
            return .julian(day, time: time)
        }
        guard let day = number(through: 365), let time = dayTime() else { return nil }
        return .ordinal(day, time: time)
    }

    /// Reads the time of day. Without one, 2:00 counts.
    private mutating func dayTime() -> Int? { take("/") ? time() : 7_200 }

    private mutating func number(through most: Int) -> Int? {
        let digits = rest.prefix(while: ASCII.isDigit)
        guard 1...3 ~= digits.count else { return nil }
        rest = rest[digits.endIndex...]
        let value = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        return value <= most ? value : nil
    }
}
