import Testing
import TidingsProvider

/// A producer's key in the fields of the services.
struct KeyFormTests {
    private static let forms = [KeyForm.appleCollapseID, .androidKey, .webPushTopic, .header]

    /// Keys that some field does not take, and keys that every field takes.
    private static let keys: [String] =
        ["order-17", "ab", "a", "order", "order 17", " order", "order ", "a\nb", "a\u{0}b", "a\u{7F}", "größe", "e\u{301}", "é", "👩‍👩‍👧‍👦", "日本"]
        + (28...36).map { String(repeating: "k", count: $0) } + [63, 64, 65, 255, 256].map { String(repeating: "k", count: $0) }

    @Test func everyKeyBecomesOneThatTheFieldTakes() {
        for form in Self.forms {
            let written = Self.keys.map(form.key)
            for (key, text) in zip(Self.keys, written) {
                #expect(form.takes(text) && form.key(for: key) == text, "\(form): \(key)")
                #expect(form.takes(key) == (text == key), "\(form): \(key)")
            }
            // Compare bytes: Swift treats a precomposed and a decomposed letter as equal.
            #expect(Set(written.map { Array($0.utf8) }).count == Self.keys.count, "\(form)")
        }
    }

    /// Four characters of Base64 encode three bytes, so one character cannot be left over.
    @Test func aTopicCanBeDecoded() {
        for key in Self.keys { #expect(KeyForm.webPushTopic.key(for: key).utf8.count % 4 != 1, "\(key)") }
        #expect(!KeyForm.webPushTopic.takes("order") && KeyForm.webPushTopic.takes("order-17"))
    }

    @Test(arguments: [4, 5, 30, 31, 32, 43, 44, 64])
    func aShortFieldGetsAsMuchAsItTakes(_ bytes: Int) {
        for alphabet in [KeyForm.Alphabet.headerText, .base64URL] {
            let form = KeyForm(alphabet, maximumBytes: bytes)
            #expect(form.takes(form.key(for: "größe")))
        }
    }
}
