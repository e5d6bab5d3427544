import Testing
import TidingsCrypto
import TidingsEncodings

@Suite struct HashTests {
    /// The examples of FIPS 180-4.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        ("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"),
    ])
    func sha256OfTheStandardsExamples(_ text: String, _ digest: String) {
        #expect(Hexadecimal.encode(SHA256.hash(Array(text.utf8))) == digest)
        #expect(Hexadecimal.encode(SHA256.hash(text.utf8)) == digest)
    }

    @Test func piecesDigestAsTheWhole() {
        let bytes = (0..<1_000).map { UInt8(truncatingIfNeeded: $0 * 7) }
        var digest = SHA256()
        for start in stride(from: 0, to: bytes.count, by: 37) { digest.update(bytes[start..<min(start + 37, bytes.count)]) }
        #expect(digest.finish() == SHA256.hash(bytes))
    }

    /// Test cases 1, 2 and 6 of RFC 4231.
    @Test(
        arguments: [
            (Array(repeating: 0x0B, count: 20), "Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
            (Array("Jefe".utf8), "what do ya want for nothing?", "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
            (
                Array(repeating: 0xAA, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
            ),
        ] as [([UInt8], String, String)])
    func hmacOfTheStandardsExamples(_ key: [UInt8], _ message: String, _ code: String) {
        #expect(Hexadecimal.encode(hmacSHA256(key: key, message: Array(message.utf8))) == code)
        let parts = message.utf8.map { [$0] }
        #expect(Hexadecimal.encode(hmacSHA256(key: key, message: parts)) == code)
    }

    @Test func emptyKeyIsAKey() {
        let code = Hexadecimal.encode(hmacSHA256(key: [UInt8](), message: [UInt8]()))
        #expect(code == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
    }

    @Test func equalityComparesEverything() {
        #expect(constantTimeEquals([1, 2, 3] as [UInt8], [1, 2, 3] as [UInt8]))
        #expect(!constantTimeEquals([1, 2, 3] as [UInt8], [1, 2, 4] as [UInt8]))
        #expect(!constantTimeEquals([1, 2, 3] as [UInt8], [1, 2] as [UInt8]))
        #expect(constantTimeEquals([UInt8](), [UInt8]()))
    }
}
