import Testing
import TidingsJSON

@Suite struct JSONWritingTests {
    @Test func writerSeparatesAndEscapes() throws {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("a", "line\n\"q\" \\ \u{1}\u{1F} é🐲 / \u{7F}")
        writer.member("n", -5)
        writer.member("t", true)
        writer.key("list")
        writer.beginArray()
        writer.null()
        writer.integer(UInt64.max)
        writer.beginObject()
        writer.endObject()
        writer.raw(#"{"x":[]}"#)
        writer.value(["k": 1.asJSON])
        writer.endArray()
        writer.key("raw")
        writer.raw(Array("7".utf8))
        writer.endObject()
        let expected =
            #"{"a":"line\n\"q\" \\ \u0001\u001f é🐲 / "# + "\u{7F}"
            + #"","n":-5,"t":true,"list":[null,18446744073709551615,{},{"x":[]},{"k":1}],"raw":7}"#
        #expect(writer.text == expected)
        writer.endLine()
        #expect(writer.text == expected + "\n")
        #expect(try JSON.parse(writer.bytes)["a"]?.stringValue == "line\n\"q\" \\ \u{1}\u{1F} é🐲 / \u{7F}")
    }

    @Test func everyScalarBelow0x100SurvivesTheRoundTrip() throws {
        for value in 1...0xFF {
            let text = String(try #require(UnicodeScalar(value))) + "x"
            #expect(try JSON.parse(JSON.string(text).serialized) == .string(text))
        }
    }

    @Test func canonicalFormIsSharedByEqualValues() throws {
        let a = try JSON.parse(#"{"b":[1.0,{"y":2,"x":1}],"a":1e2}"#)
        let b = try JSON.parse(#"{ "a" : 100, "b" : [ 1, {"x":1,"y":2.0} ] }"#)
        #expect(a == b)
        #expect(a.canonical().serialized == #"{"a":100,"b":[1,{"x":1,"y":2}]}"#)
        #expect(a.canonical().serialized == b.canonical().serialized)
        #expect(a.hashValue == b.hashValue)
    }

    @Test(arguments: [("0.001", "1e-3"), ("12.50", "12.5"), ("-1e30", "-1e30"), ("1e3", "1000"), ("1000000000000000000000000", "1e24")])
    func canonicalNumbers(_ text: String, _ canonical: String) throws {
        #expect(try JSON.parse(text).canonical().serialized == canonical)
        #expect(try JSON.parse(text) == JSON.parse(canonical))
    }

    @Test func objectsKeepOrderAndReplaceInPlace() {
        var members = object(("a", 1), ("b", 2))
        members["a"] = 3
        members["c"] = 4
        members["b"] = nil
        members["none"] = nil
        #expect(JSON.object(members).serialized == #"{"a":3,"c":4}"#)
    }

    @Test func largeObjectsCompareWithoutRegardToOrder() {
        let entries = (0..<40).map { ("k\($0)", JSON.number(JSONNumber(Int64($0)))) }
        var (a, b) = (JSONObject(), JSONObject())
        for (key, value) in entries { a[key] = value }
        for (key, value) in entries.reversed() { b[key] = value }
        #expect(a == b)
        #expect(a.hashValue == b.hashValue)
        b["k7"] = "other"
        #expect(a != b)
        b["k7"] = nil
        b["k40"] = 7
        #expect(a != b)
    }
}

extension Int {
    fileprivate var asJSON: JSON { .number(JSONNumber(Int64(self))) }
}
