import Testing
import TidingsCrypto

/// AES-128-GCM seals as another implementation does, and opens nothing that was changed.
@Suite(.needsCryptoPeer) struct AES128GCMAgreementTests {
    @Test func bothSidesOpenEachOther() async throws {
        var vectors = CryptoVectors(10)
        for message in vectors.messages() {
            let (key, nonce) = (vectors.bytes(AES128GCM.keyByteCount), vectors.bytes(AES128GCM.nonceByteCount))
            let sealed = AES128GCM.seal(message, key: key, nonce: nonce)
            let theirs = try await CryptoPeer.bytes("aes128gcm.seal", ["key": key, "nonce": nonce, "plaintext": message])
            #expect(sealed == theirs, CryptoVectors.again())
            #expect(AES128GCM.open(theirs, key: key, nonce: nonce) == message, CryptoVectors.again())
            let opened = try await CryptoPeer.ask("aes128gcm.open", ["key": key, "nonce": nonce, "sealed": sealed])
            #expect(opened == message, CryptoVectors.again())
        }
    }

    /// The lengths give an empty ciphertext, one below, at and above a block, and several blocks.
    @Test(arguments: [0, 1, 15, 16, 17, 37, 64])
    func everyChangedBitIsRefused(_ count: Int) async throws {
        var vectors = CryptoVectors(11)
        let (key, nonce) = (vectors.bytes(AES128GCM.keyByteCount), vectors.bytes(AES128GCM.nonceByteCount))
        let sealed = try await CryptoPeer.bytes("aes128gcm.seal", ["key": key, "nonce": nonce, "plaintext": vectors.bytes(count)])
        #expect(AES128GCM.open(sealed, key: key, nonce: nonce)?.count == count, CryptoVectors.again())
        for bit in 0..<sealed.count * 8 {
            #expect(AES128GCM.open(sealed.flipping(bit: bit), key: key, nonce: nonce) == nil, CryptoVectors.again())
        }
        for bit in 0..<key.count * 8 {
            #expect(AES128GCM.open(sealed, key: key.flipping(bit: bit), nonce: nonce) == nil, CryptoVectors.again())
        }
        for bit in 0..<nonce.count * 8 {
            #expect(AES128GCM.open(sealed, key: key, nonce: nonce.flipping(bit: bit)) == nil, CryptoVectors.again())
        }
    }

    /// A shorter tag would be easier to guess. SP 800-38D allows 12 to 15 bytes, AEAD_AES_128_GCM does not.
    @Test func shorterAndLongerTextsAreRefused() async throws {
        var vectors = CryptoVectors(12)
        let (key, nonce) = (vectors.bytes(AES128GCM.keyByteCount), vectors.bytes(AES128GCM.nonceByteCount))
        let sealed = try await CryptoPeer.bytes("aes128gcm.seal", ["key": key, "nonce": nonce, "plaintext": vectors.bytes(40)])
        for count in 0..<sealed.count {
            #expect(AES128GCM.open(Array(sealed.prefix(count)), key: key, nonce: nonce) == nil, CryptoVectors.again())
            #expect(AES128GCM.open(Array(sealed.suffix(count)), key: key, nonce: nonce) == nil, CryptoVectors.again())
        }
        for more in 1...20 {
            let zeros = [UInt8](repeating: 0, count: more)
            #expect(AES128GCM.open(sealed + zeros, key: key, nonce: nonce) == nil, CryptoVectors.again())
            #expect(AES128GCM.open(zeros + sealed, key: key, nonce: nonce) == nil, CryptoVectors.again())
        }
    }

    /// ``AES128GCM`` has no additional data. A text that was sealed with some is refused.
    @Test func additionalDataIsRefused() async throws {
        var vectors = CryptoVectors(13)
        let (key, nonce, message) = (vectors.bytes(AES128GCM.keyByteCount), vectors.bytes(AES128GCM.nonceByteCount), vectors.bytes(30))
        for count in [1, 16, 30] {
            let arguments = ["key": key, "nonce": nonce, "plaintext": message, "additional": vectors.bytes(count)]
            let sealed = try await CryptoPeer.bytes("aes128gcm.seal", arguments)
            #expect(AES128GCM.open(sealed, key: key, nonce: nonce) == nil, CryptoVectors.again())
        }
        // No additional data and empty additional data are the same.
        let arguments: [String: [UInt8]] = ["key": key, "nonce": nonce, "plaintext": message, "additional": []]
        let sealed = try await CryptoPeer.bytes("aes128gcm.seal", arguments)
        #expect(AES128GCM.open(sealed, key: key, nonce: nonce) == message, CryptoVectors.again())
    }

    /// A nonce of another length is hashed first, so its first 12 bytes open nothing.
    @Test func otherNonceLengthsAreOtherNonces() async throws {
        var vectors = CryptoVectors(14)
        let (key, nonce, message) = (vectors.bytes(AES128GCM.keyByteCount), vectors.bytes(16), vectors.bytes(30))
        let sealed = try await CryptoPeer.bytes("aes128gcm.seal", ["key": key, "nonce": nonce, "plaintext": message])
        #expect(AES128GCM.open(sealed, key: key, nonce: Array(nonce.prefix(12))) == nil, CryptoVectors.again())
    }

    // MARK: Lengths that stop the process

    // libcrypto reads 16 bytes of the key and 12 bytes of the nonce, however long the arrays are. A wrong length must not get there.

    @Test func sealingStopsAtAShortKey() async {
        await #expect(processExitsWith: .failure) {
            _ = AES128GCM.seal([1], key: [UInt8](repeating: 0, count: 15), nonce: [UInt8](repeating: 0, count: 12))
        }
    }

    @Test func sealingStopsAtALongNonce() async {
        await #expect(processExitsWith: .failure) {
            _ = AES128GCM.seal([1], key: [UInt8](repeating: 0, count: 16), nonce: [UInt8](repeating: 0, count: 16))
        }
    }

    @Test func openingStopsAtALongKey() async {
        await #expect(processExitsWith: .failure) {
            _ = AES128GCM.open(
                [UInt8](repeating: 0, count: 20), key: [UInt8](repeating: 0, count: 32), nonce: [UInt8](repeating: 0, count: 12))
        }
    }

    @Test func openingStopsAtAShortNonce() async {
        await #expect(processExitsWith: .failure) {
            _ = AES128GCM.open(
                [UInt8](repeating: 0, count: 20), key: [UInt8](repeating: 0, count: 16), nonce: [UInt8](repeating: 0, count: 11))
        }
    }
}
