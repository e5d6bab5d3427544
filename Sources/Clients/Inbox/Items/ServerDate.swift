import Foundation

/// Times as the server writes them: RFC 3339 in UTC with milliseconds. Times without a fraction, or with an offset, are read too.
enum ServerDate {
    private static let withFraction = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    private static let withoutFraction = Date.ISO8601FormatStyle()

    static func text(_ date: Date) -> String {
        // The style cuts off digits below a millisecond. Half a millisecond more makes the text of a parsed time equal to its source.
        withFraction.format(date.addingTimeInterval(0.000_5))
    }

    static func date(_ text: String) -> Date? {
        (try? withFraction.parse(text)) ?? (try? withoutFraction.parse(text))
    }

    /// The time in the first 48 bits of a UUID of version 7. The beginning of 1970 for any other text.
    static func date(ofID id: String) -> Date {
        let digits = id.filter { $0 != "-" }
        guard digits.count == 32, let milliseconds = UInt64(digits.prefix(12), radix: 16) else { return Date(timeIntervalSince1970: 0) }
        return Date(timeIntervalSince1970: Double(milliseconds) / 1_000)
    }
}

extension KeyedDecodingContainer {
    /// Returns the time of a member. Throws if the member is missing or no time.
    func serverDate(forKey key: Key) throws -> Date {
        let text = try decode(String.self, forKey: key)
        guard let date = ServerDate.date(text) else {
            throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: "\(text) is no RFC 3339 time")
        }
        return date
    }

    /// Returns nil if the member is missing or null.
    func serverDateIfPresent(forKey key: Key) throws -> Date? {
        guard try decodeIfPresent(String.self, forKey: key) != nil else { return nil }
        return try serverDate(forKey: key)
    }

    /// The address of a member. Nil if it is missing, null or no address: a wrong link must not hide its item.
    func address(forKey key: Key) -> URL? {
        ((try? decodeIfPresent(String.self, forKey: key)) ?? nil).flatMap { $0.isEmpty ? nil : URL(string: $0) }
    }
}
