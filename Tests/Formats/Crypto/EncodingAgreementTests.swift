import Testing
import TidingsEncodings

/// Base64, its URL-safe form and hexadecimal text. One byte string has one spelling in Base64, so that nobody can change a signed text
/// without changing its bytes.
@Suite(.needsCryptoPeer) struct EncodingAgreementTests {
    private struct Encoding: Sendable {
        let name: String
        let encode: @Sendable ([UInt8]) -> String
        let decode: @Sendable (String) -> [UInt8]?
    }

    private static let encodings = [
        Encoding(name: "base64", encode: { Base64.encode($0) }, decode: { Base64.decode($0) }),
        Encoding(name: "base64url", encode: { Base64URL.encode($0) }, decode: { Base64URL.decode($0) }),
        Encoding(name: "hex", encode: { Hexadecimal.encode($0) }, decode: { Hexadecimal.decode($0) }),
    ]

    @Test func textsAgree() async throws {
        var vectors = CryptoVectors(80)
        for message in vectors.messages() {
            for encoding in Self.encodings {
                let text = encoding.encode(message)
                let theirs = try await CryptoPeer.text("\(encoding.name).encode", ["content": message])
                #expect(text == theirs, CryptoVectors.again())
                #expect(encoding.decode(theirs) == message, CryptoVectors.again())
                let decoded = try await CryptoPeer.ask("\(encoding.name).decode", ["text": Array(text.utf8)])
                #expect(decoded == message, CryptoVectors.again())
            }
        }
    }

    /// A text with one change is refused by both sides, or read as the same bytes by both. The peer refuses each text that it would not
    /// write, apart from the case of hexadecimal digits.
    @Test func changedTextsAgree() async throws {
        var vectors = CryptoVectors(81)
        for message in vectors.messages(300) {
            for encoding in Self.encodings {
                let text = Self.changed(encoding.encode(message), &vectors)
                let theirs = try await CryptoPeer.ask("\(encoding.name).decode", ["text": Array(text.utf8)])
                #expect(encoding.decode(text) == theirs, "\(encoding.name) \(CryptoVectors.again(Array(text.utf8)))")
            }
        }
    }

    /// Replaces, inserts or removes one character.
    private static func changed(_ text: String, _ vectors: inout CryptoVectors) -> String {
        let foreign = Array("AZaz09+/-_=. \n\r\t\u{0}~gGxé\u{3000}١")
        var characters = Array(text)
        let place = vectors.below(characters.count + 1)
        let character = foreign[vectors.below(foreign.count)]
        switch vectors.below(3) {
        case 0 where place < characters.count: characters[place] = character
        case 1 where place < characters.count: characters.remove(at: place)
        default: characters.insert(character, at: place)
        }
        return String(characters)
    }

    // MARK: Every spelling

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")

    /// Two digits hold 12 bits for a byte of 8, three digits hold 18 for 16. The spare bits must be zero.
    @Test func oneByteHasOneSpelling() {
        var standard: Set<UInt8> = []
        var urlSafe: Set<UInt8> = []
        var accepted = 0
        for first in Self.alphabet + ["+", "/", "-", "_"] {
            for second in Self.alphabet + ["+", "/", "-", "_"] {
                let text = "\(first)\(second)"
                if let bytes = Base64.decode(text + "==") {
                    accepted += 1
                    standard.formUnion(bytes)
                    #expect(bytes.count == 1 && Base64.encode(bytes) == text + "==")
                }
                if let bytes = Base64URL.decode(text) {
                    accepted += 1
                    urlSafe.formUnion(bytes)
                    #expect(bytes.count == 1 && Base64URL.encode(bytes) == text)
                }
            }
        }
        #expect(standard.count == 256 && urlSafe.count == 256 && accepted == 512)
    }

    @Test func twoBytesHaveOneSpelling() {
        var accepted = 0
        for second in Self.alphabet + ["+", "/"] {
            for third in Self.alphabet + ["+", "/"] {
                let text = "Q\(second)\(third)="
                guard let bytes = Base64.decode(text) else { continue }
                accepted += 1
                #expect(Base64.encode(bytes) == text)
            }
        }
        // The Q fixes 6 of the 16 bits. The other 10 give 1,024 texts.
        #expect(accepted == 1_024)
    }

    /// Either case is accepted, as ``Hexadecimal/decode(_:)`` says. A sign, a space or another digit is not.
    @Test func twoHexadecimalDigitsAreOneByte() {
        let digits = Set("0123456789abcdefABCDEF".utf8)
        for first in UInt8(0)...127 {
            for second in UInt8(0)...127 {
                let text = String(decoding: [first, second], as: UTF8.self)
                let areDigits = digits.contains(first) && digits.contains(second)
                let expected: [UInt8]? = areDigits ? UInt8(text, radix: 16).map { [$0] } : nil
                #expect(Hexadecimal.decode(text) == expected)
            }
        }
    }

    @Test(arguments: ["0", "abc", "0x00", "00 ", " 00", "0 0", "00\n", "+0", "-0", "０１", "é", "0\u{0}"])
    func otherHexadecimalTextsAreRefused(_ text: String) { #expect(Hexadecimal.decode(text) == nil) }

    @Test(arguments: ["AA==", "AA=", "AA\n", " AA", "A A", "AB", "A", "AAAAA", "++", "//", "AAA=", "A-=", "=", "é", "AA\u{0}"])
    func otherURLSafeTextsAreRefused(_ text: String) { #expect(Base64URL.decode(text) == nil) }

    @Test(arguments: [
        "AA", "AA=", "AA===", "AB==", "AA==\n", "\nAA==", "A A=", "--==", "__==", "AAA", "AAB=", "A===", "====", "=AA=", "A=A=",
    ])
    func otherPaddedTextsAreRefused(_ text: String) { #expect(Base64.decode(text) == nil) }

    /// A long text is not accepted up to its first error.
    @Test func anErrorAtTheEndOfALongTextIsFound() {
        var vectors = CryptoVectors(82)
        let bytes = vectors.bytes(30_000)
        for encoding in Self.encodings {
            let text = encoding.encode(bytes)
            #expect(encoding.decode(text) == bytes, CryptoVectors.again())
            for end in ["!", "=", " ", "\n", "\u{0}"] { #expect(encoding.decode(text + end) == nil, CryptoVectors.again()) }
            #expect(encoding.decode(String(text.dropLast()) + "!") == nil, CryptoVectors.again())
        }
    }
}
