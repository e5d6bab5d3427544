import Testing
import TidingsCrypto

/// Public keys of attackers. A point outside of the curve would reveal the private key that it is multiplied with.
@Suite(.needsCryptoPeer) struct P256HostilePointTests {
    /// The points with x = 0 and with y = 5 have room above these numbers: p more is still a number of 32 bytes.
    private static let yAtZero = HandmadeKey.hexadecimal("66485c780e2f83d72433bd5d84a06bb6541c2af31dae871728bf856a174f93f4")
    private static let xAtFive = HandmadeKey.hexadecimal("d7325d7646cd60d80a92738ceb345f844cffaf35841022cab176f692de8de1d7")
    /// p + 5.
    private static let primeAndFive = HandmadeKey.hexadecimal("ffffffff00000001000000000000000000000001000000000000000000000004")

    /// Fails unless both sides refuse the point.
    private func expectRefused(_ point: [UInt8], _ error: P256KeyError = .notOnTheCurve) async throws {
        #expect(throws: error, CryptoVectors.again(point)) { try P256PublicKey(point: point) }
        let isAccepted = try await CryptoPeer.accepts("p256.accepts", ["point": point])
        #expect(!isAccepted, CryptoVectors.again(point))
    }

    @Test func everyChangedBitLeavesTheCurve() async throws {
        var vectors = CryptoVectors(30)
        let point = try vectors.key().publicKey.point
        for bit in 8..<point.count * 8 { try await expectRefused(point.flipping(bit: bit)) }
        let swapped: [UInt8] = [4] + point[33...64] + point[1...32]
        try await expectRefused(swapped)
    }

    @Test func randomCoordinatesAreNoPoint() async throws {
        var vectors = CryptoVectors(31)
        for _ in 0..<200 { try await expectRefused([4] + vectors.bytes(64)) }
        try await expectRefused([4] + [UInt8](repeating: 0, count: 64))
        try await expectRefused([4] + [UInt8](repeating: 0xFF, count: 64))
    }

    /// One point must have one encoding: a coordinate is below p.
    @Test func coordinatesAreBelowThePrime() async throws {
        #expect(try P256PublicKey(point: [4] + HandmadeKey.small(0) + Self.yAtZero).point.count == 65)
        #expect(try P256PublicKey(point: [4] + Self.xAtFive + HandmadeKey.small(5)).point.count == 65)
        try await expectRefused([4] + HandmadeKey.prime + Self.yAtZero)
        try await expectRefused([4] + Self.xAtFive + Self.primeAndFive)
        try await expectRefused([4] + HandmadeKey.prime + HandmadeKey.prime)
    }

    /// The base point of secp256k1, a curve over another field.
    @Test func pointsOfOtherCurvesAreRefused() async throws {
        let foreign = HandmadeKey.hexadecimal(
            "0479be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
                + "483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8")
        try await expectRefused(foreign)
    }

    @Test func onlyTheUncompressedFormIsAccepted() async throws {
        var vectors = CryptoVectors(32)
        let key = try vectors.key()
        let point = key.publicKey.point
        // 0 is infinity, 2 and 3 are compressed, 6 and 7 are hybrid.
        for first in UInt8.min...UInt8.max where first != 4 {
            #expect(throws: P256KeyError.notUncompressed, CryptoVectors.again()) { try P256PublicKey(point: [first] + point.dropFirst()) }
        }
        let compressed = try await CryptoPeer.bytes("p256.point", ["private": key.rawValue, "form": Array("compressed".utf8)])
        #expect(throws: P256KeyError.wrongLength(33, of: 65), CryptoVectors.again()) { try P256PublicKey(point: compressed) }
        try await expectRefused([0], .wrongLength(1, of: 65))
    }

    @Test func everyOtherLengthIsRefused() async throws {
        var vectors = CryptoVectors(33)
        let point = try vectors.key().publicKey.point
        for count in 0..<point.count { try await expectRefused(Array(point.prefix(count)), .wrongLength(count, of: 65)) }
        for more in 1...66 {
            try await expectRefused(point + [UInt8](repeating: 0, count: more), .wrongLength(65 + more, of: 65))
        }
    }

    // MARK: Points in PEM

    @Test func pointsInPEMAreCheckedToo() throws {
        var vectors = CryptoVectors(34)
        let point = try vectors.key().publicKey.point
        let hybrid: [UInt8] = [6 + point[64] % 2] + point.dropFirst()
        let compressed: [UInt8] = [2 + point[64] % 2] + point[1...32]
        let infinity: [UInt8] = [0]
        for other in [hybrid, compressed, infinity] {
            let pem = HandmadeKey.pem("PUBLIC KEY", HandmadeKey.publicKey(other))
            #expect(throws: P256KeyError.notUncompressed, CryptoVectors.again(other)) { try P256PublicKey(pem: pem) }
        }
        // A hybrid form names the parity of y a second time. Here the two differ.
        let contradictory: [UInt8] = [7 - point[64] % 2] + point.dropFirst()
        let tooLarge: [UInt8] = [4] + Self.xAtFive + Self.primeAndFive
        let others: [[UInt8]] = [[], point.flipping(bit: 500), contradictory, Array(point.dropLast()), point + [0], tooLarge]
        for other in others {
            let pem = HandmadeKey.pem("PUBLIC KEY", HandmadeKey.publicKey(other))
            #expect(throws: P256KeyError.self, CryptoVectors.again(other)) { try P256PublicKey(pem: pem) }
        }
    }

    /// Every changed bit is refused, or changes nothing in the key. libcrypto ignores some bits, such as the unused bits of a bit string.
    @Test func changedPEMGivesNoOtherPoint() async throws {
        var vectors = CryptoVectors(35)
        let key = try vectors.key()
        let der = HandmadeKey.der(ofPEM: try await CryptoPeer.text("p256.public.pem", ["private": key.rawValue]))
        #expect(der == HandmadeKey.publicKey(key.publicKey.point), CryptoVectors.again())
        var accepted = 0
        for bit in 0..<der.count * 8 {
            guard let read = try? P256PublicKey(pem: HandmadeKey.pem("PUBLIC KEY", der.flipping(bit: bit))) else { continue }
            accepted += 1
            #expect(read.point == key.publicKey.point, CryptoVectors.again())
        }
        #expect(accepted < 20, CryptoVectors.again())
        for count in 0..<der.count {
            let pem = HandmadeKey.pem("PUBLIC KEY", Array(der.prefix(count)))
            #expect(throws: P256KeyError.notAKey, CryptoVectors.again()) { try P256PublicKey(pem: pem) }
        }
    }

    /// The curve is written out, with the public key as its base point: its private number is then 1 (CVE-2020-0601).
    @Test func aCurveWithAnotherBasePointIsRefused() throws {
        var vectors = CryptoVectors(36)
        let point = try vectors.key().publicKey.point
        let curve = HandmadeKey.writtenCurve(generator: point)
        let publicPEM = HandmadeKey.pem("PUBLIC KEY", HandmadeKey.publicKey(point, algorithm: curve))
        #expect(throws: P256KeyError.notP256, CryptoVectors.again()) { try P256PublicKey(pem: publicPEM) }
        let privatePEM = HandmadeKey.pem("PRIVATE KEY", HandmadeKey.pkcs8(HandmadeKey.small(1), point: point, algorithm: curve))
        #expect(throws: P256KeyError.notP256, CryptoVectors.again()) { try P256PrivateKey(pem: privatePEM) }
        // The same form with the right base point is P-256, so the base point decides.
        let honest = HandmadeKey.writtenCurve(generator: HandmadeKey.generator)
        let honestPEM = HandmadeKey.pem("PUBLIC KEY", HandmadeKey.publicKey(point, algorithm: honest))
        #expect(try P256PublicKey(pem: honestPEM).point == point, CryptoVectors.again())
    }

    @Test(arguments: ["secp224r1", "secp384r1", "secp521r1", "secp256k1", "brainpoolP256r1", "ed25519", "x25519", "dsa"])
    func publicKeysOfOtherKindsAreRefused(_ kind: String) async throws {
        let pem = try await CryptoPeer.text("foreign.public.pem", ["kind": Array(kind.utf8)])
        #expect(throws: P256KeyError.notP256) { try P256PublicKey(pem: pem) }
    }
}
