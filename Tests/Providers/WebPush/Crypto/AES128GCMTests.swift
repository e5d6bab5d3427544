import Testing
import TidingsCrypto
import TidingsEncodings

struct AES128GCMTests {
    private static let zeroKey = String(repeating: "0", count: 32)
    private static let zeroNonce = String(repeating: "0", count: 24)

    /// Test cases 1 to 3 of the specification of GCM (McGrew and Viega, appendix B).
    @Test(arguments: [
        (zeroKey, zeroNonce, "", "58e2fccefa7e3061367f1d57a4e7455a"),
        (zeroKey, zeroNonce, zeroKey, "0388dace60b6a392f328c2b971b2fe78ab6e47d42cec13bdf53a67b21257bddf"),
        (
            "feffe9928665731c6d6a8f9467308308", "cafebabefacedbaddecaf888",
            "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
                + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255",
            "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"
                + "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091473f59854d5c2af327cd64a62cf35abd2ba6fab4"
        ),
    ])
    func theSpecificationsExamples(_ key: String, _ nonce: String, _ plaintext: String, _ sealed: String) throws {
        let key = try #require(Hexadecimal.decode(key))
        let nonce = try #require(Hexadecimal.decode(nonce))
        let plaintext = try #require(Hexadecimal.decode(plaintext))
        #expect(Hexadecimal.encode(AES128GCM.seal(plaintext, key: key, nonce: nonce)) == sealed)
        #expect(AES128GCM.open(try #require(Hexadecimal.decode(sealed)), key: key, nonce: nonce) == plaintext)
    }

    @Test(arguments: [0, 1, 15, 16, 17, 4_096, 100_000])
    func aSealedTextIsOpened(_ count: Int) {
        let plaintext = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 31) }
        let (key, nonce) = (Array(1...16).map(UInt8.init), Array(1...12).map(UInt8.init))
        let sealed = AES128GCM.seal(plaintext, key: key, nonce: nonce)
        #expect(sealed.count == count + 16)
        #expect(AES128GCM.open(sealed, key: key, nonce: nonce) == plaintext)
    }

    @Test func nothingElseIsOpened() {
        let (key, nonce) = (Array(repeating: UInt8(7), count: 16), Array(repeating: UInt8(9), count: 12))
        let sealed = AES128GCM.seal(Array("a message".utf8), key: key, nonce: nonce)
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 0x80
            #expect(AES128GCM.open(changed, key: key, nonce: nonce) == nil)
        }
        for count in 0..<sealed.count { #expect(AES128GCM.open(Array(sealed.prefix(count)), key: key, nonce: nonce) == nil) }
        #expect(AES128GCM.open(sealed + [0], key: key, nonce: nonce) == nil)
        #expect(AES128GCM.open(sealed, key: [0] + key.dropFirst(), nonce: nonce) == nil)
        #expect(AES128GCM.open(sealed, key: key, nonce: [0] + nonce.dropFirst()) == nil)
    }
}
