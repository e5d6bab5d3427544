import Testing
import TidingsCore
import TidingsHTTP
import TidingsProvider

@testable import ProviderJSONOverHTTP
@testable import TidingsEncodings

/// The texts of a delivery in the headers of a call.
struct HTTPHeaderTests {
    private func value(_ template: String, for item: OutgoingDelivery, _ encoding: String? = nil) throws -> String? {
        var settings = ["headers": "X-Text: \(template)"]
        settings["headerEncoding"] = encoding
        return try HTTPService.request(settings, for: item).headers.first { $0.0 == "X-Text" }?.1
    }

    /// The text that a receiver reads: each encoded word is decoded by itself, and white space between two of them does not count.
    private func decoded(_ value: String) -> String? {
        var text = ""
        for word in value.split(separator: " ") {
            guard word.count <= 75, word.hasPrefix("=?UTF-8?B?"), word.hasSuffix("?="),
                let bytes = Base64.decode(String(word.dropFirst(10).dropLast(2))), let part = String(validating: bytes, as: UTF8.self)
            else { return nil }
            text += part
        }
        return text
    }

    @Test(arguments: [nil, "encodedWords", "percent"])
    func noTextEndsItsHeader(_ encoding: String?) throws {
        for (title, expected) in [
            ("a\r\nX-Admin: 1", "a  X-Admin: 1"), ("a\nb", "a b"), ("a\u{0}b", "a b"), ("a\tb\u{1B}c", "a b c"), ("a\u{85}b", "a b"),
            (" a\n", "a"), ("=?a", "=?a"),
        ] {
            #expect(try value("{{title}}", for: .orderShipped(title: title), encoding) == expected)
        }
        #expect(try value("<{{data.x}}>", for: .orderShipped(data: #"{"x":"\n\u0085"}"#), encoding) == "<  >")
        for blank in ["\n", "\u{7F}", " \r\n"] {
            #expect(try value("{{title}}", for: .orderShipped(title: blank), encoding) == nil, "a header without a text is left out")
        }
    }

    static let places: [(String, OutgoingDelivery)] = [
        ("{{title}}", .orderShipped(title: "Größe 🎉")), ("{{body}}", .orderShipped(body: "Größe 🎉")),
        ("{{recipient}}", .orderShipped(recipient: "Größe 🎉")), ("{{data.x}}", .orderShipped(data: #"{"x":"Größe 🎉"}"#)),
    ]

    @Test(arguments: places)
    func everyPlaceholderHasTheFormOfAHeader(_ template: String, _ item: OutgoingDelivery) throws {
        #expect(try value(template, for: item) == "=?UTF-8?B?R3LDtsOfZSDwn46J?=")
        #expect(try value(template, for: item, "percent") == "Gr%C3%B6%C3%9Fe %F0%9F%8E%89")
    }

    /// White space between two encoded words does not count, so the whole value is encoded.
    @Test func aValueWithOtherTextIsEncodedAsAWhole() throws {
        let item = OutgoingDelivery.orderShipped(title: "Größe", body: "Länge")
        #expect(try decoded(value("Order-{{title}} {{body}}", for: item) ?? "") == "Order-Größe Länge")
        #expect(try value("Order-{{title}}, {{body}} 5%", for: item, "percent") == "Order-Gr%C3%B6%C3%9Fe, L%C3%A4nge 5%")
        #expect(try value("{{data}}", for: .orderShipped(data: #"{"a":"é"}"#)).flatMap(decoded) == #"{"a":"é"}"#)
    }

    @Test(arguments: ["é", "🎉", "aé", "한", "e\u{301}"])
    func aLongTextIsSeveralWords(_ letter: String) throws {
        for count in [1, 10, 11, 12, 22, 23, 45, 46, 500] {
            let title = String(repeating: letter, count: count)
            let sent = try #require(try value("{{title}}", for: .orderShipped(title: title)))
            #expect(decoded(sent)?.utf8.elementsEqual(title.utf8) == true, "\(sent)")
        }
    }

    /// A receiver would decode a text of a producer that looks like an encoded word.
    @Test func aTextOfASCIIStaysAsItIs() throws {
        let forged = "=?UTF-8?B?YQ==?="
        #expect(try decoded(value("{{title}}", for: .orderShipped(title: forged)) ?? "") == forged)
        for title in ["Your order: 100% \"ready\"", "https://a.test/?q=?x", "?="] {
            #expect(try value("{{title}}", for: .orderShipped(title: title)) == title)
        }
        #expect(try value("{{title}} 5%", for: .orderShipped(title: "100% ready"), "percent") == "100%25 ready 5%")
        #expect(try value("Größe {{type}}", for: .orderShipped()) == "Größe orderUpdate", "the operator's own text")
    }

    /// A key that is no text of a header becomes its digest, so that different keys stay different.
    @Test(arguments: [nil, "percent"])
    func aKeyKeepsTheFormOfAKey(_ encoding: String?) throws {
        var item = OutgoingDelivery.orderShipped()
        item.content.collapseKey = "a\nb"
        #expect(
            try value("{{collapseKey}}", for: item, encoding) == "7e18f737311b2dc3b2f269dd78396b0351f14fb66efa879f768cb23181883c78")
    }
}
