import Testing
import TidingsCrypto
import TidingsEncodings

struct P256Tests {
    private func bytes(_ hexadecimal: String) throws -> [UInt8] { try #require(Hexadecimal.decode(hexadecimal)) }
    private func key(_ hexadecimal: String) throws -> P256PrivateKey { try P256PrivateKey(rawValue: bytes(hexadecimal)) }

    // MARK: Keys

    @Test(arguments: [P256Keys.pkcs8, P256Keys.sec1, P256Keys.compressed])
    func everyFormOfAKeyIsRead(_ pem: String) throws {
        let key = try P256PrivateKey(pem: pem)
        #expect(Base64URL.encode(key.rawValue) == P256Keys.raw)
        #expect(Base64URL.encode(key.publicKey.point) == P256Keys.point)
        #expect(key.pem.hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
        #expect(try P256PrivateKey(pem: key.pem).publicKey.point == key.publicKey.point)
    }

    @Test(
        arguments: [
            ("", .notAPrivateKey), ("hunter2", .notAPrivateKey), (P256Keys.encrypted, .notAPrivateKey),
            (P256Keys.publicOnly, .notAPrivateKey),
            (P256Keys.p384, .notP256), (P256Keys.ed25519, .notP256), (P256Keys.mixed, .inconsistent),
        ] as [(String, P256KeyError)])
    func aTextThatIsNoSuchKeyIsRefused(_ pem: String, _ problem: P256KeyError) {
        #expect(throws: problem) { try P256PrivateKey(pem: pem) }
        #expect(!problem.description.isEmpty && !problem.description.contains("hunter2"))
    }

    @Test(arguments: [P256Keys.pkcs8, P256Keys.sec1, P256Keys.compressed])
    func aPublicKeyIsReadFromAPrivateOne(_ pem: String) throws {
        #expect(Base64URL.encode(try P256PublicKey(pem: pem).point) == P256Keys.point)
    }

    @Test func aPublicKeyIsReadAlone() throws {
        #expect(try P256PublicKey(pem: P256Keys.publicOnly).point.count == 65)
        for (pem, problem) in [
            ("", P256KeyError.notAKey), ("hunter2", .notAKey), (P256Keys.encrypted, .notAKey), (P256Keys.p384, .notP256),
            (P256Keys.mixed, .inconsistent),
        ] {
            #expect(throws: problem) { try P256PublicKey(pem: pem) }
        }
    }

    /// The order of the curve is `ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551`.
    @Test func aKeyIsANumberBelowTheOrder() throws {
        let largest = try key("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632550")
        // The smallest key gives the base point, and the largest key gives its negative. Both points have the same x.
        let smallest = try key(String(repeating: "0", count: 63) + "1")
        #expect(smallest.publicKey.point[1...32] == largest.publicKey.point[1...32])
        #expect(smallest.publicKey.point != largest.publicKey.point)
        for number in [
            "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551", String(repeating: "f", count: 64),
            String(repeating: "0", count: 64),
        ] {
            #expect(throws: P256KeyError.outOfRange) { try key(number) }
        }
        for count in [0, 31, 33, 65] {
            #expect(throws: P256KeyError.wrongLength(count, of: 32)) { try P256PrivateKey(rawValue: Array(repeating: 1, count: count)) }
        }
    }

    @Test func newKeysAreDifferentAndComplete() throws {
        let (one, other) = (P256PrivateKey(), P256PrivateKey())
        #expect(one.rawValue != other.rawValue && one.rawValue.count == 32)
        #expect(one.publicKey.point.count == 65 && one.publicKey.point.first == 4)
        #expect(try P256PrivateKey(rawValue: one.rawValue).publicKey.point == one.publicKey.point)
        #expect(try P256PrivateKey(pem: one.pem).rawValue == one.rawValue)
    }

    @Test func aPublicKeyIsAPointOnTheCurve() throws {
        let point = try #require(Base64URL.decode(P256Keys.point))
        #expect(try P256PublicKey(point: point).point == point)
        for index in [1, 32, 33, 64] {
            var beside = point
            beside[index] ^= 1
            #expect(throws: P256KeyError.notOnTheCurve) { try P256PublicKey(point: beside) }
        }
        #expect(throws: P256KeyError.notOnTheCurve) { try P256PublicKey(point: [4] + Array(repeating: 0, count: 64)) }
        #expect(throws: P256KeyError.notOnTheCurve) { try P256PublicKey(point: [4] + Array(repeating: 255, count: 64)) }
        // Points in compressed and hybrid form.
        for first: UInt8 in [0, 2, 3, 5, 6, 7] {
            #expect(throws: P256KeyError.notUncompressed) { try P256PublicKey(point: [first] + point.dropFirst()) }
        }
        for count in [0, 1, 33, 64, 66] {
            #expect(throws: P256KeyError.wrongLength(count, of: 65)) {
                try P256PublicKey(point: Array((point + [0]).prefix(count)))
            }
        }
    }

    // MARK: Signatures

    /// The example of RFC 6979, appendix A.2.5, with SHA-256.
    @Test func aPublishedSignatureIsVerified() throws {
        let key = try key("c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721")
        let x = "60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6"
        let y = "7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299"
        #expect(Hexadecimal.encode(key.publicKey.point) == "04\(x)\(y)")
        let sample = try bytes(
            "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716"
                + "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8")
        #expect(key.publicKey.verify(sample, of: Array("sample".utf8)))
        #expect(!key.publicKey.verify(sample, of: Array("Sample".utf8)))
    }

    @Test func onlyTheOwnSignatureOverTheWholeMessageVerifies() throws {
        let key = P256PrivateKey()
        for count in [0, 1, 1_000] {
            let message = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
            let signature = key.sign(message)
            #expect(signature.count == 64)
            #expect(key.publicKey.verify(signature, of: message))
            #expect(!key.publicKey.verify(signature, of: message + [0]))
            #expect(!P256PrivateKey().publicKey.verify(signature, of: message))
            for index in [0, 31, 32, 63] {
                var changed = signature
                changed[index] ^= 1
                #expect(!key.publicKey.verify(changed, of: message))
            }
            for wrong in [
                [], Array(signature.dropLast()), signature + [0], Array(repeating: 0, count: 64), Array(repeating: 255, count: 64),
            ] {
                #expect(!key.publicKey.verify(wrong, of: message))
            }
        }
    }

    /// A half of a signature that begins with zeros must keep its length. One signature in 128 has such a half.
    @Test func everySignatureHas64Bytes() {
        let key = P256PrivateKey()
        for number: UInt16 in 0..<600 {
            let message = [UInt8(number >> 8), UInt8(number & 255)]
            let signature = key.sign(message)
            #expect(signature.count == 64 && key.publicKey.verify(signature, of: message))
        }
    }

    // MARK: Agreement

    /// The example of RFC 5903, section 8.1.
    @Test func bothSidesAgreeOnThePublishedSecret() throws {
        let one = try key("c88f01f510d9ac3f70a292daa2316de544e9aab8afe84049c62a9c57862d1433")
        let other = try key("c6ef9c5d78ae012a011164acb397ce2088685d8f06bf9be0b283ab46476bee53")
        let secret = "d6840f6b42f6edafd13116e0e12565202fef8e9ece7dce03812464d04b9442de"
        #expect(Hexadecimal.encode(one.sharedSecret(with: other.publicKey)) == secret)
        let point = try P256PublicKey(point: one.publicKey.point)
        #expect(Hexadecimal.encode(other.sharedSecret(with: point)) == secret)
    }

    /// With the key of RFC 6979, the number 379 gives an x that begins with zeros.
    @Test func leadingZerosOfASecretStay() throws {
        let one = try key(String(repeating: "0", count: 61) + "17b")
        let other = try key("c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721")
        let secret = "009956a92a3c4b2c539f3c8b1e345e0d0a65d32a8902e37a86c0f37f88f82025"
        #expect(Hexadecimal.encode(one.sharedSecret(with: other.publicKey)) == secret)
        #expect(Hexadecimal.encode(other.sharedSecret(with: one.publicKey)) == secret)
    }

    @Test func threadsShareAKey() async {
        let (one, other) = (P256PrivateKey(), P256PrivateKey())
        let secret = one.sharedSecret(with: other.publicKey)
        await withTaskGroup(of: Bool.self) { group in
            for number: UInt8 in 0..<64 {
                group.addTask {
                    other.sharedSecret(with: one.publicKey) == secret && one.publicKey.verify(one.sign([number]), of: [number])
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }
}
