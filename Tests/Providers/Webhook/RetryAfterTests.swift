import Testing
import TidingsCore

@testable import TidingsProvider

struct RetryAfterTests {
    /// The example of RFC 9110: Sun, 06 Nov 1994 08:49:37 GMT.
    private static let example = Timestamp(seconds: 784_111_777)

    @Test(arguments: ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"])
    func theThreeFormsOfADateAreRead(_ text: String) {
        #expect(httpDate(text, now: Self.example) == Self.example)
    }

    @Test(arguments: [
        ("120", Duration.seconds(120)), ("0", .zero), ("99999999999", longestRetryAfter), ("99999999999999999999999", longestRetryAfter),
        ("Sun, 06 Nov 1994 08:51:37 GMT", .seconds(120)), ("Sun, 06 Nov 1994 08:00:00 GMT", .zero),
        ("Fri, 31 Dec 9999 23:59:59 GMT", longestRetryAfter),
    ])
    func secondsAndDatesAreRead(_ text: String, _ expected: Duration) {
        #expect(retryAfter(text, now: Self.example) == expected)
    }

    @Test(arguments: [
        "", "-1", "1.5", "soon", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 31 Feb 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Now 1994 08:49:37 GMT", "1 2 3 4 5", "::::",
    ])
    func aTextThatIsNeitherIsSkipped(_ text: String) {
        #expect(retryAfter(text, now: Self.example) == nil)
    }

    @Test func twoDigitYearsAreNearNow() {
        let now = Timestamp(seconds: 1_767_225_600)  // 2026
        #expect(httpDate("Sunday, 06-Nov-94 08:49:37 GMT", now: now) == Self.example)
        #expect(httpDate("Friday, 06-Nov-26 08:49:37 GMT", now: now)?.rfc3339 == "2026-11-06T08:49:37.000Z")
    }
}
