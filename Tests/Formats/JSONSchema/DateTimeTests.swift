import Testing
import TidingsCore
import TidingsJSON
import TidingsJSONSchema

/// The date-time of RFC 3339 in a type's schema and in an event: one form.
@Suite struct DateTimeTests {
    private func isValid(_ text: String, _ format: JSON = "date-time") throws -> Bool {
        try JSONSchema(["format": format], assertFormats: true).isValid(.string(text))
    }

    /// The examples of section 5.8, leap seconds by other clocks, and seconds that no clock has.
    @Test(arguments: [
        ("1985-04-12T23:20:50.52Z", true), ("1996-12-19T16:39:57-08:00", true), ("1990-12-31T23:59:60Z", true),
        ("1990-12-31T15:59:60-08:00", true), ("1937-01-01T12:00:27.87+00:20", true), ("1991-01-01T08:59:60+09:00", true),
        ("2016-12-31T23:59:60.5Z", true), ("2015-06-30T23:59:60Z", true), ("2024-02-29T23:59:60Z", true), ("2023-02-28T23:59:60z", true),
        ("2016-06-29T13:59:60-10:00", false), ("2016-06-30T13:59:60-10:00", true), ("2016-12-31T23:58:60Z", false),
        ("2016-12-31T22:59:60Z", false), ("2016-12-31T23:59:61Z", false), ("2016-12-30T23:59:60Z", false),
        ("2016-12-31T23:59:60-08:00", false), ("2024-02-28T23:59:60Z", false), ("2017-01-01T00:00:60Z", false),
        ("1991-01-02T08:59:60+09:00", false),
    ])
    func schemaAndEventAgree(_ text: String, _ isValid: Bool) throws {
        #expect(try self.isValid(text) == isValid)
        #expect((Timestamp(rfc3339: text) != nil) == isValid)
    }

    /// A time without a date may be of any day.
    @Test(arguments: [("23:59:60Z", true), ("15:59:60-08:00", true), ("23:59:60-08:00", false), ("23:58:60Z", false)])
    func aTimeMayHaveALeapSecond(_ text: String, _ isValid: Bool) throws {
        #expect(try self.isValid(text, "time") == isValid)
    }
}
