import Testing
import TidingsJSON

@Suite struct JSONNumberTests {
    private func number(_ text: String) throws -> JSONNumber { try #require(JSONNumber(text: text)) }

    @Test(arguments: [
        ("1", "1.0"), ("1", "10e-1"), ("0", "-0"), ("0", "0e999999999999999999999"), ("100", "1e2"), ("-2.50", "-25E-1"),
        ("1e400", "10e399"),
        ("123456789012345678901234567890", "12345678901234567890123456789.0e1"), ("9223372036854775807", "9223372036854775807.000"),
    ])
    func equalValuesAreEqual(_ a: String, _ b: String) throws {
        #expect(try number(a) == number(b))
        #expect(try number(a).hashValue == number(b).hashValue)
        #expect(try JSON.number(number(a)).canonical().serialized == JSON.number(number(b)).canonical().serialized)
    }

    @Test func numbersCompareExactly() throws {
        let ascending = [
            "-1e400", "-9007199254740993", "-9007199254740992", "-1.5", "-1", "-1e-400", "0", "1e-400", "0.1",
            "0.10000000000000000000000001", "1", "1.5",
            "9007199254740992", "9007199254740993", "18446744073709551616", "1e400",
        ]
        for (left, a) in ascending.enumerated() {
            for (right, b) in ascending.enumerated() {
                #expect(try (number(a) < number(b)) == (left < right), "\(a) < \(b)")
                #expect(try (number(a) == number(b)) == (left == right), "\(a) == \(b)")
            }
        }
    }

    @Test(
        arguments: [
            ("0", 0), ("-0.0", 0), ("1.0", 1), ("12e1", 120), ("9223372036854775807", .max), ("-9223372036854775808", .min),
            ("922337203685477580.7e1", .max),
        ] as [(String, Int64)])
    func integralValuesReadAsIntegers(_ text: String, _ value: Int64) throws {
        #expect(try number(text).int64 == value)
        #expect(try number(text).isInteger)
    }

    @Test(arguments: ["1.5", "9223372036854775808", "-9223372036854775809", "1e19", "1e-1", "1e999999999"])
    func otherValuesDoNot(_ text: String) throws { #expect(try number(text).int64 == nil) }

    @Test func doublesAreNilBeyondTheirRange() throws {
        #expect(try number("1e400").double == nil)
        #expect(try number("-1e400").double == nil)
        #expect(try number("2.5").double == 2.5)
        #expect(JSONNumber(.infinity) == nil)
        #expect(JSONNumber(.nan) == nil)
        #expect(JSONNumber(2.0)?.text == "2")
        #expect(JSONNumber(1e300)?.double == 1e300)
    }

    @Test(arguments: ["", "1 ", " 1", "01", "1.", "x", "true", "\"1\""])
    func textThatIsNoNumberIsRefused(_ text: String) { #expect(JSONNumber(text: text) == nil) }
}
