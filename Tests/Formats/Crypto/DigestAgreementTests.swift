import Testing
import TidingsCrypto

/// SHA-256 and HMAC give the bytes that another implementation gives.
@Suite(.needsCryptoPeer) struct DigestAgreementTests {
    @Test func digestsAgree() async throws {
        var vectors = CryptoVectors(1)
        for message in vectors.messages() {
            let digest = try await CryptoPeer.bytes("sha256", ["message": message])
            #expect(SHA256.hash(message) == digest, CryptoVectors.again())
            // A slice, and a collection without contiguous storage, take another way to libcrypto.
            let longer: [UInt8] = [7] + message
            #expect(SHA256.hash(longer.dropFirst()) == digest, CryptoVectors.again())
            #expect(SHA256.hash(message.lazy.map { $0 }) == digest, CryptoVectors.again())
        }
    }

    @Test func piecesAgree() async throws {
        var vectors = CryptoVectors(2)
        for message in vectors.messages() {
            let digest = try await CryptoPeer.bytes("sha256", ["message": message])
            var pieces = SHA256()
            var rest = message[...]
            while !rest.isEmpty {
                // A piece of no bytes changes nothing.
                let count = vectors.below(rest.count + 1)
                pieces.update(rest.prefix(count))
                rest = rest.dropFirst(count)
            }
            let finished = pieces.finish()
            #expect(finished == digest, CryptoVectors.again())
        }
    }

    /// A key of more than 64 bytes is replaced by its digest, so the lengths around 64 matter.
    @Test func codesAgree() async throws {
        var vectors = CryptoVectors(3)
        let lengths = [0, 1, 16, 31, 32, 33, 63, 64, 65, 66, 127, 128, 129]
        for (number, message) in vectors.messages().enumerated() {
            let key = vectors.bytes(number < lengths.count ? lengths[number] : vectors.below(200))
            let code = try await CryptoPeer.bytes("hmac", ["key": key, "message": message])
            #expect(hmacSHA256(key: key, message: message) == code, CryptoVectors.again())
            #expect(hmacSHA256(key: key[...], message: message[...]) == code, CryptoVectors.again())
            let cut = vectors.below(message.count + 1)
            let parts: [[UInt8]] = [Array(message.prefix(cut)), [], Array(message.dropFirst(cut))]
            #expect(hmacSHA256(key: key, message: parts) == code, CryptoVectors.again())
        }
    }

    /// An empty key and an empty message must not reach libcrypto as "no key" or "no message".
    @Test func emptyInputsAgree() async throws {
        let key = [UInt8](repeating: 7, count: 32)
        let empty: [UInt8] = []
        let ofNothing = try await CryptoPeer.bytes("hmac", ["key": key, "message": empty])
        #expect(hmacSHA256(key: key, message: [[UInt8]]()) == ofNothing)
        #expect(hmacSHA256(key: key, message: [empty, empty]) == ofNothing)
        let withoutKey = try await CryptoPeer.bytes("hmac", ["key": empty, "message": key])
        #expect(hmacSHA256(key: empty, message: key) == withoutKey)
        #expect(hmacSHA256(key: empty, message: [key]) == withoutKey)
    }

    @Test func everyChangedBitMakesCodesUnequal() {
        var vectors = CryptoVectors(4)
        let code = vectors.bytes(32)
        #expect(constantTimeEquals(code, Array(code)), CryptoVectors.again())
        for bit in 0..<256 { #expect(!constantTimeEquals(code, code.flipping(bit: bit)), CryptoVectors.again()) }
        for count in 0..<32 {
            #expect(!constantTimeEquals(code, code.prefix(count)), CryptoVectors.again())
            #expect(!constantTimeEquals(code.prefix(count), code), CryptoVectors.again())
        }
        #expect(!constantTimeEquals(code, code + [0]), CryptoVectors.again())
    }
}
