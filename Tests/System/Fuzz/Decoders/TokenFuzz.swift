import ProviderAPNs
import ProviderFCM
import ProviderWebPush
import TidingsCore
import TidingsProvider
import TidingsTimeZones

/// The readers of device tokens, and that of offsets of UTC. The stored form of a token must be read as the same token again.
struct TokenFuzz: FuzzTarget {
    static let name = "tokens"
    let corpus: [[UInt8]]
    private let mutator: ByteMutator

    init() {
        corpus = Self.texts.map { Array($0.utf8) }
        mutator = ByteMutator(corpus: corpus, words: Self.words)
    }

    func input(_ random: inout FuzzRandom) -> [UInt8] { mutator.mutated(&random) }
    func bytes(of input: [UInt8]) -> [UInt8] { input }

    func feed(_ input: [UInt8]) throws -> FuzzVerdict {
        let text = String(decoding: input, as: UTF8.self)
        _ = FixedOffset.zoneName(text)
        var isTaken = false
        for factory in Self.factories {
            guard let token = try? factory.deviceToken(text) else { continue }
            isTaken = true
            try require((1...DeviceToken.longest).contains(token.text.utf8.count), "a token of \(token.text.utf8.count) bytes")
            try require(!token.identity.isEmpty, "a token without an identity")
            try require((try? factory.deviceToken(token.text)) == token, "\(factory.kind): the stored form is another token")
        }
        return isTaken ? .accepted : .refused
    }

    private static let factories: [any ProviderFactory.Type] = [
        APNsProviderFactory.self, FCMProviderFactory.self, WebPushProviderFactory.self,
    ]

    private static let texts: [String] = [
        "740f4707bebcf74f9b7c25d48e3358945f6aa01da5ddb387462c7eaf61bb78ad", " 740F4707\n", "cXyZ0123:APA91bH-registration_token",
        #"{"endpoint":"https://push.example.net/wpush/v2/gAAA#part","expirationTime":null,"keys":{"p256dh":"\#(point)","auth":"\#(secret)"}}"#,
        #"{ "keys": { "auth": "\#(secret)==", "p256dh": "\#(point)=" }, "endpoint": "HTTPS:\/\/[2001:DB8::1]:443?x" }"#,
        "GMT+0530", "UTC-08:00",
    ]

    private static let point = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
    private static let secret = "BTBZMqHH6r4Tts7J_aSIgg"

    private static let words = ["{", "}", "\"", "https://", ":443", "#", "?", "%2f", "endpoint", "keys", "auth", "p256dh", "=", " ", "\n"]
}
