import Testing
import TidingsEncodings

@Suite struct EncodingTests {
    /// The examples of RFC 4648, section 10.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
    ])
    func base64OfTheStandardsExamples(_ text: String, _ encoded: String) {
        #expect(Base64.encode(Array(text.utf8)) == encoded)
        #expect(Base64.decode(encoded) == Array(text.utf8))
    }

    @Test func everyByteSurvives() {
        for count in 0..<70 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 91 + count) }
            #expect(Base64.decode(Base64.encode(bytes)) == bytes)
            #expect(Hexadecimal.decode(Hexadecimal.encode(bytes)) == bytes)
        }
    }

    @Test(arguments: ["Zg", "Zg=", "Zg===", "Zh==", "Zm9=", "Z===", "====", "=", "Zm 9v", "Zm9v\n", "Zm_-", "Zg==Zg==", "é==="])
    func otherSpellingsOfBase64AreRefused(_ text: String) { #expect(Base64.decode(text) == nil) }

    @Test func hexadecimalIsStrict() {
        #expect(Hexadecimal.decode("00fFA0") == [0, 255, 160])
        for text in ["0", "0g", "0x10", " 00", "00 "] { #expect(Hexadecimal.decode(text) == nil) }
    }
}
