/// The error for a text that is not a time of day.
public struct QuietHoursError: Error, Sendable, Hashable {
    /// The field that is wrong.
    public enum Field: String, Sendable, Hashable {
        case quietHoursStart, quietHoursEnd
    }

    public var field: Field
    /// The text as given.
    public var text: String

    public init(field: Field, text: String) {
        self.field = field
        self.text = text
    }
}

extension QuietHoursError: CustomStringConvertible {
    public var description: String {
        "\(field.rawValue) must be a time of day as HH:MM, from 00:00 to 23:59"
    }
}

extension QuietHours {
    /// Reads two times of day written `HH:MM`, from `00:00` to `23:59`.
    ///
    /// A single time, or two equal ones, mean no quiet hours, and the result is nil. A text that is not a time of day throws, even if it
    /// stands alone.
    public static func parse(start: String?, end: String?) throws(QuietHoursError) -> QuietHours? {
        let startMinute = try minute(of: start, field: .quietHoursStart)
        let endMinute = try minute(of: end, field: .quietHoursEnd)
        guard let startMinute, let endMinute else { return nil }
        return QuietHours(startMinute: startMinute, endMinute: endMinute)
    }

    /// The start as `HH:MM`.
    public var startText: String { QuietHours.text(ofMinute: startMinute) }
    /// The end as `HH:MM`.
    public var endText: String { QuietHours.text(ofMinute: endMinute) }

    private static func minute(of text: String?, field: QuietHoursError.Field) throws(QuietHoursError) -> Int? {
        guard let text else { return nil }
        let bytes = Array(text.utf8.prefix(6))
        let digits = [0, 1, 3, 4].compactMap { index -> Int? in
            guard index < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[index]) else { return nil }
            return Int(bytes[index] - UInt8(ascii: "0"))
        }
        guard bytes.count == 5, digits.count == 4, bytes[2] == UInt8(ascii: ":") else { throw QuietHoursError(field: field, text: text) }
        let (hour, minute) = (digits[0] * 10 + digits[1], digits[2] * 10 + digits[3])
        guard hour <= 23, minute <= 59 else { throw QuietHoursError(field: field, text: text) }
        return hour * 60 + minute
    }

    private static func text(ofMinute minute: Int) -> String {
        String(unsafeUninitializedCapacity: 5) { buffer in
            var writer = FixedWriter(buffer: buffer)
            writer.digits(Int64(minute / 60), count: 2)
            writer.byte(":")
            writer.digits(Int64(minute % 60), count: 2)
            return writer.count
        }
    }
}
