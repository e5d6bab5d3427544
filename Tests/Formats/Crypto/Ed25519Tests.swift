import Testing
import TidingsCrypto
import TidingsEncodings

/// Ed25519 signs as RFC 8032 says, and accepts nothing that the key's owner did not sign.
@Suite struct Ed25519Tests {
    /// RFC 8032 section 7.1: the secret, the public half, the message and the signature.
    private static let vectors = [
        (
            "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
        ),
        (
            "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
            "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
        ),
        (
            "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
            "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
            "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"
        ),
    ].map { (secret: $0.0, point: $0.1, message: $0.2, signature: $0.3) }

    @Test func theVectorsOfRFC8032Hold() throws {
        for vector in Self.vectors {
            let key = try Ed25519PrivateKey(rawValue: HandmadeKey.hexadecimal(vector.secret))
            let message = HandmadeKey.hexadecimal(vector.message)
            #expect(Hexadecimal.encode(key.publicKey.rawValue) == vector.point)
            #expect(Hexadecimal.encode(key.sign(message)) == vector.signature)
            let publicKey = try Ed25519PublicKey(rawValue: HandmadeKey.hexadecimal(vector.point))
            #expect(publicKey.verify(HandmadeKey.hexadecimal(vector.signature), of: message))
        }
    }

    @Test func newKeysSign() {
        let (key, other) = (Ed25519PrivateKey(), Ed25519PrivateKey())
        let signature = key.sign([1, 2, 3])
        #expect(signature.count == 64)
        #expect(key.publicKey.verify(signature, of: [1, 2, 3]))
        #expect(!other.publicKey.verify(signature, of: [1, 2, 3]))
    }

    @Test func everyChangedBitIsRefused() throws {
        let key = Ed25519PrivateKey()
        let message = Array("tidings".utf8)
        let signature = key.sign(message)
        for bit in 0..<signature.count * 8 { #expect(!key.publicKey.verify(signature.flipping(bit: bit), of: message)) }
        for bit in 0..<message.count * 8 { #expect(!key.publicKey.verify(signature, of: message.flipping(bit: bit))) }
        for count in 0..<signature.count { #expect(!key.publicKey.verify(Array(signature.prefix(count)), of: message)) }
        #expect(!key.publicKey.verify(signature + [0], of: message))
        #expect(!key.publicKey.verify([UInt8](repeating: 0, count: 64), of: message))
        #expect(!key.publicKey.verify(signature, of: []))
    }

    /// RFC 8032 section 5.1.7: S is below the order, so that nobody can make a second signature from a first.
    @Test func theTwinOfASignatureIsRefused() throws {
        let order = HandmadeKey.hexadecimal("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010")
        let key = Ed25519PrivateKey()
        let signature = key.sign([7])
        var twin = signature
        var carry = 0
        for place in 0..<32 {
            let sum = Int(signature[32 + place]) + Int(order[place]) + carry
            twin[32 + place] = UInt8(truncatingIfNeeded: sum)
            carry = sum >> 8
        }
        #expect(key.publicKey.verify(signature, of: [7]))
        #expect(!key.publicKey.verify(twin, of: [7]))
    }

    /// For such a point the signature of zeros, or another constant, verifies many messages.
    @Test(arguments: [
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    ])
    func pointsOfSmallOrderAreRefused(_ text: String) {
        let point = HandmadeKey.hexadecimal(text)
        #expect(throws: Ed25519KeyError.smallOrder) { try Ed25519PublicKey(rawValue: point) }
        #expect(throws: Ed25519KeyError.smallOrder) { try Ed25519PublicKey(rawValue: point.flipping(bit: 248)) }
    }

    /// A coordinate is below the prime 2^255 - 19, whose bytes are ED, FF thirty times, 7F.
    @Test func aPointHasOneEncoding() {
        for first in UInt8(0xED)...0xFF {
            for last in [0x7F, 0xFF] as [UInt8] {
                let point = [first] + [UInt8](repeating: 0xFF, count: 30) + [last]
                #expect(throws: Ed25519KeyError.notCanonical) { try Ed25519PublicKey(rawValue: point) }
            }
        }
    }

    @Test func otherLengthsAreNoKey() {
        for count in [0, 1, 31, 33, 64] {
            let bytes = [UInt8](repeating: 5, count: count)
            #expect(throws: Ed25519KeyError.wrongLength(count, of: 32)) { try Ed25519PublicKey(rawValue: bytes) }
            #expect(throws: Ed25519KeyError.wrongLength(count, of: 32)) { try Ed25519PrivateKey(rawValue: bytes) }
        }
    }

    @Test func aKeyIsReadFromPEM() throws {
        // RFC 8410 section 10.3, whose public half is given in section 10.1.
        let pem = """
            -----BEGIN PRIVATE KEY-----
            MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC
            -----END PRIVATE KEY-----
            """
        let key = try Ed25519PrivateKey(pem: pem)
        #expect(Hexadecimal.encode(key.publicKey.rawValue) == "19bf44096984cdfe8541bac167dc3b96c85086aa30b6b6cb0c5c38ad703166e1")
        #expect(throws: Ed25519KeyError.notAPrivateKey) { try Ed25519PrivateKey(pem: "") }
        #expect(throws: Ed25519KeyError.notEd25519) { try Ed25519PrivateKey(pem: P256PrivateKey().pem) }
    }
}
