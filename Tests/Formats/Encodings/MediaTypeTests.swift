import Testing
import TidingsEncodings

/// The examples of RFC 9110 and other forms that its grammar allows.
@Suite struct MediaTypeTests {
    /// RFC 9110 section 8.3.1: these four are the same.
    @Test(arguments: [
        "text/html;charset=utf-8", "Text/HTML;Charset=\"utf-8\"", "text/html; charset=\"utf-8\"", "text/html;charset=UTF-8",
    ])
    func theSpellingsOfTheStandardAreOne(_ text: String) {
        let media = MediaType(text)
        #expect(media?.essence == "text/html" && media?.isUTF8 == true && media?.isJSON == false)
        #expect(media?.parameters["charset"]?.lowercased() == "utf-8")
    }

    @Test(
        arguments: [
            ("application/json", [:]), ("  application/json\t", [:]), ("application/json;", [:]),
            ("application/json ; ;charset=utf-8;", ["charset": "utf-8"]),
            ("application/cloudevents+json; charset=UTF-8", ["charset": "UTF-8"]),
            (#"application/json;profile="a;charset=latin1";charset=utf-8"#, ["profile": "a;charset=latin1", "charset": "utf-8"]),
            (#"application/json; q="a\"b\\c"; Odata.Metadata=none"#, ["q": #"a"b\c"#, "odata.metadata": "none"]),
            ("application/json; charset=utf-8; charset=latin1", ["charset": "utf-8"]),
            ("application/json; charset = utf-8; v=1", ["v": "1"]),
            (#"application/json; a="open; charset=latin1"#, [:]), ("application/json; a=; b=2", ["b": "2"]),
        ] as [(String, [String: String])])
    func parametersAreRead(_ text: String, _ parameters: [String: String]) {
        #expect(MediaType(text)?.parameters == parameters)
        #expect(MediaType(text)?.isJSON == true && MediaType(text)?.isUTF8 == true)
    }

    @Test(arguments: [
        "", " ", "json", "application/", "/json", "application json", "application/json charset=utf-8", "a/b/c", "a b/c",
        "application/json,text/html",
    ])
    func anotherTextIsNone(_ text: String) { #expect(MediaType(text) == nil) }

    @Test func anAbsentHeaderIsNone() { #expect(MediaType(nil) == nil) }

    /// CloudEvents, JSON format section 3.1.1: the subtype is `json`, or ends with `+json`.
    @Test(arguments: [
        ("application/json", true), ("APPLICATION/JSON", true), ("text/json; charset=us-ascii", true), ("image/json", true),
        ("application/vnd.example.v1+json", true), ("application/cloudevents-batch+json;charset=utf8", true), ("application/jsonl", false),
        ("application/json-seq", false), ("application/json+xml", false), ("application/json; charset=iso-8859-1", false),
        ("application/json; charset=utf-16", false), ("json", false),
    ])
    func jsonIsRecognised(_ text: String, _ isJSON: Bool) { #expect(MediaType.isJSON(text) == isJSON) }
}
