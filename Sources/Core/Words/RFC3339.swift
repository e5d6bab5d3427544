extension Timestamp {
    /// Reads an RFC 3339 `date-time`, strictly.
    ///
    /// - The offset is required: `Z` or `±hh:mm`. `T` and `Z` may be lower case (RFC 3339 section 5.6).
    /// - The date must exist. The year is 0001 to 9999, also after conversion to UTC.
    /// - Second 60 is a leap second, which only the last minute of a month in UTC can have (section 5.7). It is read as the first second
    ///   of the next month, because a timestamp has no leap seconds.
    /// - Digits below a microsecond are dropped.
    /// - Every other text gives nil, for example one with a space for the `T`.
    public init?(rfc3339 text: String) {
        var text = text
        let parsed = text.withUTF8 { Timestamp(rfc3339: $0) }
        guard let parsed else { return nil }
        self = parsed
    }

    /// Reads an RFC 3339 `date-time` from UTF-8 bytes, under the rules of ``init(rfc3339:)-(String)``.
    public init?(rfc3339 utf8: UnsafeBufferPointer<UInt8>) {
        var scanner = DateTimeScanner(bytes: utf8)
        guard
            let year = scanner.digits(4), scanner.skip("-"), let month = scanner.digits(2), scanner.skip("-"), let day = scanner.digits(2),
            let date = CivilDate(validYear: Int(year), month: Int(month), day: Int(day)),
            scanner.skip("T") || scanner.skip("t"),
            let hour = scanner.digits(2), hour <= 23, scanner.skip(":"), let minute = scanner.digits(2), minute <= 59,
            scanner.skip(":"), let second = scanner.digits(2), second <= 60,
            let fraction = scanner.fraction(), let offset = scanner.offset(), scanner.isAtEnd
        else { return nil }
        let seconds = date.daysSinceEpoch * Timestamp.secondsPerDay + hour * 3_600 + minute * 60 + second - offset
        guard second < 60 || Timestamp.beginsMonth(seconds) else { return nil }
        let parsed = Timestamp(microseconds: seconds * Timestamp.microsecondsPerSecond + fraction)
        guard parsed >= .distantPast, parsed <= .distantFuture else { return nil }
        self = parsed
    }

    /// Whether a month begins at this second since 1970, in UTC.
    private static func beginsMonth(_ seconds: Int64) -> Bool {
        let (days, secondOfDay) = seconds.flooredDivision(by: Timestamp.secondsPerDay)
        return secondOfDay == 0 && CivilDate(daysSinceEpoch: days).day == 1
    }

    /// The instant as RFC 3339 in UTC with `Z`: three fraction digits, or six when it is no whole millisecond.
    ///
    /// An instant before ``distantPast`` or after ``distantFuture`` is written as that bound, because RFC 3339 has four digits for the
    /// year.
    public var rfc3339: String {
        let clamped = min(max(self, .distantPast), .distantFuture)
        let (seconds, fraction) = clamped.microseconds.flooredDivision(by: Timestamp.microsecondsPerSecond)
        let (days, secondOfDay) = seconds.flooredDivision(by: Timestamp.secondsPerDay)
        let date = CivilDate(daysSinceEpoch: days)
        let isWholeMillisecond = fraction % Timestamp.microsecondsPerMillisecond == 0
        let length = isWholeMillisecond ? 24 : 27
        return String(unsafeUninitializedCapacity: length) { buffer in
            var writer = FixedWriter(buffer: buffer)
            writer.date(date)
            writer.byte("T")
            writer.digits(secondOfDay / 3_600, count: 2)
            writer.byte(":")
            writer.digits(secondOfDay / 60 % 60, count: 2)
            writer.byte(":")
            writer.digits(secondOfDay % 60, count: 2)
            writer.byte(".")
            if isWholeMillisecond {
                writer.digits(fraction / Timestamp.microsecondsPerMillisecond, count: 3)
            } else {
                writer.digits(fraction, count: 6)
            }
            writer.byte("Z")
            return writer.count
        }
    }
}

/// Reads the parts of a date-time from left to right. If a part is not there, its method returns nil or false.
private struct DateTimeScanner {
    let bytes: UnsafeBufferPointer<UInt8>
    var position = 0

    init(bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { position == bytes.count }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    mutating func digits(_ count: Int) -> Int64? {
        guard bytes.count - position >= count else { return nil }
        var value: Int64 = 0
        for index in position..<position + count {
            guard let digit = digit(at: index) else { return nil }
            value = value * 10 + digit
        }
        position += count
        return value
    }

    /// The optional fraction of a second, in microseconds; zero without one, nil for a point without digits.
    mutating func fraction() -> Int64? {
        guard skip(".") else { return 0 }
        var value: Int64 = 0
        var unit: Int64 = 100_000
        let start = position
        while let digit = digit(at: position) {
            value += digit * unit
            unit /= 10
            position += 1
        }
        return position == start ? nil : value
    }

    /// The offset from UTC in seconds, positive to the east.
    mutating func offset() -> Int64? {
        if skip("Z") || skip("z") { return 0 }
        let isWest = skip("-")
        guard isWest || skip("+"), let hours = digits(2), hours <= 23, skip(":"), let minutes = digits(2), minutes <= 59 else { return nil }
        return (isWest ? -1 : 1) * (hours * 3_600 + minutes * 60)
    }

    private func digit(at index: Int) -> Int64? {
        guard index < bytes.count else { return nil }
        let digit = bytes[index] &- UInt8(ascii: "0")
        return digit <= 9 ? Int64(digit) : nil
    }
}
