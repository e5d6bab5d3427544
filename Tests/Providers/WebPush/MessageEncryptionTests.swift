import Testing
import TidingsCrypto
import TidingsEncodings

@testable import ProviderWebPush
@testable import TidingsCapture

/// Checks that the browser can read a message, and nobody else can.
struct MessageEncryptionTests {
    private func bytes(_ text: String) throws -> [UInt8] { try #require(Base64URL.decode(text)) }
    private func ephemeral() throws -> P256PrivateKey { try P256PrivateKey(rawValue: bytes("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw")) }

    /// The example of RFC 8291, appendix A, with its intermediate values.
    @Test func thePublishedExampleComesOutByteForByte() throws {
        let subscription = try WebPushFixture.subscription()
        let (ephemeral, salt) = (try ephemeral(), try bytes("DGv6ra1nlYgDCS1FRnbzlw"))
        #expect(
            Base64URL.encode(ephemeral.publicKey.point)
                == "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8")
        #expect(Base64URL.encode(ephemeral.sharedSecret(with: subscription.key)) == "kyrL1jIIOHEzg3sM2ZWRHDRB62YACZhhSlknJ672kSs")
        let keys = MessageKeys(for: subscription, ephemeral: ephemeral, salt: salt)
        #expect(Base64URL.encode(keys.contentKey) == "oIhVW04MRdy2XN9CiKLxTg")
        #expect(Base64URL.encode(keys.nonce) == "4h_95klXJ5E_qnoN")
        let body = MessageEncryption.encrypt(
            Array("When I grow up, I want to be a watermelon".utf8), for: subscription, ephemeral: ephemeral, salt: salt)
        #expect(
            Base64URL.encode(body) == """
                DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_y\
                l95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN
                """)
        #expect(body.count == 144)
        let plaintext = try WebPushFixture.browser().plaintext(of: body, senderKey: [])
        #expect(String(decoding: plaintext, as: UTF8.self) == "When I grow up, I want to be a watermelon")
    }

    @Test func theLargestMessageFillsABodyOf4096Bytes() {
        #expect(MessageEncryption.headerBytes == 86)
        #expect(MessageEncryption.longestPlaintext == 3_993)
    }

    @Test(arguments: [0, 1, 2, 15, 16, 17, 100, 1_000, 2_744, 3_992, 3_993])
    func theBrowserReadsMessagesOfEverySize(_ count: Int) throws {
        let plaintext = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) }
        let body = MessageEncryption.encrypt(
            plaintext, for: try WebPushFixture.subscription(), ephemeral: P256PrivateKey(), salt: Array(repeating: 5, count: 16))
        #expect(body.count == count + 103 && body.count <= 4_096)
        #expect(try WebPushFixture.browser().plaintext(of: body, senderKey: []) == plaintext)
    }

    @Test func anotherBrowserReadsNothing() throws {
        let body = MessageEncryption.encrypt(
            [1, 2, 3], for: try WebPushFixture.subscription(), ephemeral: P256PrivateKey(), salt: Array(repeating: 5, count: 16))
        let (right, other) = (try WebPushFixture.browser(), WebPushBrowser())
        for browser in [other, WebPushBrowser(key: right.key, secret: other.secret), WebPushBrowser(key: other.key, secret: right.secret)] {
            #expect(throws: WebPushFault.badRequest("The message cannot be decrypted")) { try browser.plaintext(of: body, senderKey: []) }
        }
    }

    /// A change of any bit is noticed. Only the record size may change, as long as it is large enough.
    @Test func aChangedBodyIsRefused() throws {
        let body = MessageEncryption.encrypt(
            Array("a message".utf8), for: try WebPushFixture.subscription(), ephemeral: P256PrivateKey(),
            salt: Array(repeating: 5, count: 16))
        let browser = try WebPushFixture.browser()
        for index in body.indices where !(16..<20).contains(index) {
            var changed = body
            changed[index] ^= 1
            #expect(throws: WebPushFault.self, "byte \(index)") { try browser.plaintext(of: changed, senderKey: []) }
        }
        for count in 0..<body.count {
            #expect(throws: WebPushFault.self, "\(count) bytes") { try browser.plaintext(of: Array(body.prefix(count)), senderKey: []) }
        }
    }

    @Test func theBrowserChecksTheRecord() throws {
        let subscription = try WebPushFixture.subscription()
        let (ephemeral, salt) = (P256PrivateKey(), Array(repeating: UInt8(5), count: 16))
        let keys = MessageKeys(for: subscription, ephemeral: ephemeral, salt: salt)
        let browser = try WebPushFixture.browser()
        func body(_ padded: [UInt8], recordSize: [UInt8] = [0, 0, 16, 0]) -> [UInt8] {
            salt + recordSize + [65] + ephemeral.publicKey.point + AES128GCM.seal(padded, key: keys.contentKey, nonce: keys.nonce)
        }
        #expect(try browser.plaintext(of: body([7, 0, 2]), senderKey: []) == [7, 0])
        #expect(try browser.plaintext(of: body([7, 2, 2, 0, 0, 0]), senderKey: []) == [7, 2])
        #expect(try browser.plaintext(of: body([7, 2], recordSize: [0, 0, 0, 18]), senderKey: []) == [7])
        // The delimiter of a record that is not the last, no delimiter, and a record size that is too small.
        for wrong in [
            body([7, 1]), body([7]), body([0, 0]), body([7, 2], recordSize: [0, 0, 0, 17]), body([7, 2], recordSize: [0, 0, 0, 0]),
        ] {
            #expect(throws: WebPushFault.self) { try browser.plaintext(of: wrong, senderKey: []) }
        }
        let same = WebPushFault.badRequest("The VAPID key must not be the key of the encryption")
        #expect(throws: same) { try browser.plaintext(of: body([7, 2]), senderKey: ephemeral.publicKey.point) }
    }
}
