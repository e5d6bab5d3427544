import Testing
import TidingsCore
import TidingsCrypto
import TidingsEncodings
import TidingsProvider

@testable import ProviderJSONOverHTTP

/// The sender of a callback. A request is read only if the service itself sent it, a moment ago.
@Suite struct HTTPCallbackAuthenticationTests {
    private static let key = "a secret of 24 bytes, ok"
    private static let oldKey = "the one before the change"
    private static let now = HTTPService.now
    private static let body = #"{"ref":"none","state":"sent"}"#

    private static func hmac(_ text: String, _ key: String = key) -> [UInt8] { hmacSHA256(key: Array(key.utf8), message: Array(text.utf8)) }

    /// Whether a request with these headers is read.
    private static func isRead(
        _ settings: [String: String], _ headers: [(String, String)], body: String = body, secret: String = key
    ) throws -> Bool {
        let reader = try HTTPService.reader(settings.merging(["callbackSecret": "env:SECRET"]) { $1 }, ["SECRET": secret])
        switch reader.read(HTTPService.callback(body, headers)) {
        case .reports(let reports, _): return reports.count == 1
        case .malformed(let reason):
            Issue.record("malformed: \(reason)")
            return false
        case .unauthenticated(let reason):
            #expect(!reason.contains(secret), "the reason tells the secret")
            return false
        }
    }

    private static let plain = ["callbackAuthentication": "hmac", "callbackHeader": "X-Signature"]

    @Test func anHMACCoversTheBody() throws {
        let good = Hexadecimal.encode(Self.hmac(Self.body))
        #expect(try Self.isRead(Self.plain, [("x-signature", good)]))
        #expect(try Self.isRead(Self.plain, [("X-SIGNATURE", good.uppercased())]))
        let bad: [String: [(String, String)]] = [
            "no header": [], "twice": [("x-signature", good), ("x-signature", good)], "empty": [("x-signature", "")],
            "cut": [("x-signature", String(good.dropLast(2)))], "longer": [("x-signature", good + "00")],
            "not hex": [("x-signature", "zz" + good.dropFirst(2))],
            "base64": [("x-signature", Base64.encode(Self.hmac(Self.body)))],
            "another key": [("x-signature", Hexadecimal.encode(Self.hmac(Self.body, Self.oldKey)))],
            "an empty key": [("x-signature", Hexadecimal.encode(Self.hmac(Self.body, "")))],
        ]
        for (name, headers) in bad { #expect(try !Self.isRead(Self.plain, headers), "\(name)") }
        #expect(try !Self.isRead(Self.plain, [("x-signature", good)], body: Self.body + " "), "a body that was altered")
    }

    @Test func prefixAndEncodingAreTheSettings() throws {
        let settings = Self.plain.merging(["callbackSignaturePrefix": "sha256=", "callbackSignatureEncoding": "base64"]) { $1 }
        let good = Base64.encode(Self.hmac(Self.body))
        #expect(try Self.isRead(settings, [("x-signature", "sha256=" + good)]))
        #expect(try !Self.isRead(settings, [("x-signature", good)]))
        #expect(try !Self.isRead(settings, [("x-signature", "sha1=" + good)]))
    }

    @Test func bothSecretsCountDuringARotation() throws {
        let both = "\(Self.key)\n\(Self.oldKey)\n"
        for key in [Self.key, Self.oldKey] {
            #expect(try Self.isRead(Self.plain, [("x-signature", Hexadecimal.encode(Self.hmac(Self.body, key)))], secret: both))
        }
        #expect(try !Self.isRead(Self.plain, [("x-signature", Hexadecimal.encode(Self.hmac(Self.body, both)))], secret: both))
    }

    /// The age of the request in seconds, and whether it is read.
    @Test(arguments: [(0, true), (300, true), (301, false), (-300, true), (-301, false), (100_000, false)])
    func aTimestampIsSignedAndFresh(_ age: Int64, _ isRead: Bool) throws {
        let settings = Self.plain.merging(["callbackTimestampHeader": "X-Time"]) { $1 }
        let time = String(Self.now.wholeSeconds - age)
        let signature = Hexadecimal.encode(Self.hmac("\(time).\(Self.body)"))
        #expect(try Self.isRead(settings, [("x-time", time), ("x-signature", signature)]) == isRead)
        // The same signature does not count for another time.
        #expect(try !Self.isRead(settings, [("x-time", String(Self.now.wholeSeconds - age + 1)), ("x-signature", signature)]))
        #expect(try !Self.isRead(settings, [("x-signature", signature)]))
        #expect(try !Self.isRead(settings, [("x-time", time + ".0"), ("x-signature", signature)]))
    }

    @Test func theSignedTextIsATemplate() throws {
        let settings = Self.plain.merging(["callbackTimestampHeader": "X-Time", "callbackSignedText": "v0:{{timestamp}}:{{body}}"]) { $1 }
        let time = String(Self.now.wholeSeconds)
        let good = Hexadecimal.encode(Self.hmac("v0:\(time):\(Self.body)"))
        #expect(try Self.isRead(settings, [("x-time", time), ("x-signature", good)]))
        let other = Hexadecimal.encode(Self.hmac("\(time).\(Self.body)"))
        #expect(try !Self.isRead(settings, [("x-time", time), ("x-signature", other)]))
    }

    /// The headers refuse a stranger before its body is read, and prove the service only if nothing of the body is signed.
    @Test func theHeadersAreJudgedAlone() throws {
        func proof(_ settings: [String: String], _ headers: [(String, String)], secret: String = Self.key) throws -> CallbackProof {
            let reader = try HTTPService.reader(settings.merging(["callbackSecret": "env:SECRET"]) { $1 }, ["SECRET": secret])
            return reader.proof(in: HTTPService.callback("", headers))
        }
        func isRefused(_ proof: CallbackProof) -> Bool { if case .refused = proof { true } else { false } }
        let (now, old) = (String(Self.now.wholeSeconds), String(Self.now.wholeSeconds - 301))
        let signature = Hexadecimal.encode(Self.hmac("another body"))
        let timed = Self.plain.merging(["callbackTimestampHeader": "X-Time"]) { $1 }
        #expect(try proof(timed, [("x-time", now), ("x-signature", signature)]) == .open)
        for headers in [
            [("x-time", now)], [("x-signature", signature)], [("x-time", old), ("x-signature", signature)],
            [("x-time", now), ("x-signature", String(signature.dropLast(2)))], [("x-time", now), ("x-signature", "")],
        ] { #expect(try isRefused(proof(timed, headers)), "\(headers)") }

        let inHeader = ["callbackAuthentication": "secret", "callbackHeader": "Authorization"]
        let secret = "Basic dGlkaW5nczpzZWNyZXQ="
        #expect(try proof(inHeader, [("authorization", secret)], secret: secret) == .proven)
        #expect(try isRefused(proof(inHeader, [("authorization", secret + "=")], secret: secret)))
        #expect(try isRefused(proof(inHeader, [], secret: secret)))

        let standard = ["callbackAuthentication": "standardWebhooks"]
        let webhook = "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
        let headers = [("webhook-id", "m-1"), ("webhook-timestamp", now), ("webhook-signature", "v1,AAAA")]
        #expect(try proof(standard, headers, secret: webhook) == .open)
        #expect(try isRefused(proof(standard, Array(headers.dropLast()), secret: webhook)))
    }

    @Test func aSecretInAHeaderIsCompared() throws {
        let settings = ["callbackAuthentication": "secret", "callbackHeader": "Authorization"]
        let secret = "Basic dGlkaW5nczpzZWNyZXQ="
        #expect(try Self.isRead(settings, [("authorization", secret)], secret: secret))
        for wrong in ["", "Basic", secret + "=", String(secret.dropLast()), secret.lowercased()] {
            #expect(try !Self.isRead(settings, [("authorization", wrong)], secret: secret), "\(wrong)")
        }
        #expect(try !Self.isRead(settings, [], secret: secret))
    }

    // MARK: Standard Webhooks

    /// The published vector of Standard Webhooks 1.0.0.
    @Test func theVectorOfStandardWebhooksIsRead() throws {
        let settings = ["callbackAuthentication": "standardWebhooks", "callbackSecret": "env:SECRET"]
        let body = #"{"test": 2432232314}"#
        for secret in ["MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"] {
            let reader = try HTTPService.reader(settings, ["SECRET": secret])
            func read(_ signature: String, at seconds: Int64 = 1_614_265_330, id: String = "msg_p5jXN8AQM9LWM0D4loKWxJek")
                -> CallbackReading
            {
                let headers = [("webhook-id", id), ("webhook-timestamp", "1614265330"), ("webhook-signature", signature)]
                return reader.read(HTTPService.callback(body, headers, at: Timestamp(seconds: seconds)))
            }
            let good = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
            #expect(Self.isAccepted(read(good)))
            #expect(Self.isAccepted(read("v1a,AAAA v2,AAAA \(good)")), "other versions are passed over")
            #expect(!Self.isAccepted(read(good, at: 1_614_265_330 + 301)), "a replay after the tolerance")
            #expect(!Self.isAccepted(read(good, id: "msg_other")))
            #expect(!Self.isAccepted(read("v1,AAAA")))
            #expect(!Self.isAccepted(read("v2," + good.dropFirst(3))))
            #expect(!Self.isAccepted(read(Array(repeating: "v1,AAAA", count: 8).joined(separator: " ") + " " + good)), "a ninth signature")
        }
    }

    @Test func anEd25519SignatureIsRead() throws {
        let key = Ed25519PrivateKey()
        let settings = ["callbackAuthentication": "standardWebhooks", "callbackSecret": "env:SECRET"]
        let reader = try HTTPService.reader(settings, ["SECRET": "whpk_" + Base64.encode(key.publicKey.rawValue)])
        let time = String(Self.now.wholeSeconds)
        func read(_ signer: Ed25519PrivateKey) -> CallbackReading {
            let signature = Base64.encode(signer.sign(Array("msg_1.\(time).\(Self.body)".utf8)))
            let headers = [("webhook-id", "msg_1"), ("webhook-timestamp", time), ("webhook-signature", "v1a,\(signature)")]
            return reader.read(HTTPService.callback(Self.body, headers))
        }
        #expect(Self.isAccepted(read(key)))
        #expect(!Self.isAccepted(read(Ed25519PrivateKey())))
    }

    private static func isAccepted(_ reading: CallbackReading) -> Bool {
        if case .reports = reading { true } else { false }
    }
}

extension HTTPService {
    /// The settings that say where an event has its parts.
    static let events = [
        "url": "https://dmp.example.com/pushes", "callbackReferencePath": "/ref", "callbackStatePath": "/state",
        "callbackStates": "delivered = delivered, read = engaged\nbounced = failed, late = failed timeout, dead = gone, queued = ignored",
        "callbackTimePath": "/at",
    ]

    static func reader(
        _ settings: [String: String], _ environment: [String: String] = [:]
    ) throws(ProviderConfigurationError) -> any CallbackReader {
        let binding = binding(events.merging(settings) { $1 })
        guard let reader = try HTTPProviderFactory.callbackReader(binding: binding, environment: environment) else {
            throw ProviderConfigurationError(provider: binding.name, message: "takes no callbacks")
        }
        return reader
    }

    static func callback(_ body: String, _ headers: [(String, String)], at time: Timestamp = HTTPService.now) -> CallbackRequest {
        CallbackRequest(
            method: "POST", target: "/v1/callbacks/dmp", headers: headers.map { (name: $0.0, value: $0.1) }, body: Array(body.utf8),
            receivedAt: time)
    }
}
