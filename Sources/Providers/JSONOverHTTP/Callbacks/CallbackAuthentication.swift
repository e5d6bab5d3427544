import TidingsCore
import TidingsCrypto
import TidingsEncodings
import TidingsProvider

/// Checks that a service itself sent a callback. Every comparison with a secret takes the same time for each wrong value.
struct CallbackAuthentication: Sendable {
    enum Method: Sendable {
        case hmac(SignedBody, keys: [[UInt8]])
        case standardWebhooks([StandardWebhookKey])
        /// The SHA-256 of each secret. Digests have the same length, so the comparison does not tell the length of a secret.
        case secret(header: String, digests: [[UInt8]])
    }

    let method: Method
    /// The largest difference between the timestamp of a request and the clock.
    let tolerance: Duration

    /// Judges the headers alone. A signature also covers the body, so headers in its form leave the question open.
    func proof(in head: CallbackRequest) -> CallbackProof {
        do throws(Refused) {
            switch method {
            case .secret(let header, let digests):
                try checkSecret(of: head, in: header, digests)
                return .proven
            case .hmac(let signed, _): _ = try hmac(of: head, signed)
            case .standardWebhooks: _ = try webhook(of: head)
            }
            return .open
        } catch {
            return .refused(reason: error.reason)
        }
    }

    /// Returns the reason why a request is refused. Nil if the service sent the request.
    func refusal(of request: CallbackRequest) -> String? {
        do throws(Refused) {
            switch method {
            case .secret(let header, let digests): try checkSecret(of: request, in: header, digests)
            case .hmac(let signed, let keys):
                let (signature, timestamp) = try hmac(of: request, signed)
                let message = signed.message(timestamp: timestamp, body: request.body)
                guard matches(keys, { constantTimeEquals(hmacSHA256(key: $0, message: message), signature) }) else {
                    throw Refused.wrongSignature
                }
            case .standardWebhooks(let keys):
                let (prefix, signatures) = try webhook(of: request)
                let message: [[UInt8]] = [prefix, request.body]
                guard matches(keys, { key in matches(signatures) { key.accepts(String($0), of: message) } }) else {
                    throw Refused.wrongSignature
                }
            }
            return nil
        } catch {
            return error.reason
        }
    }

    /// The reason why a request is refused.
    private struct Refused: Error {
        let reason: String

        init(_ reason: String) { self.reason = reason }

        static let wrongSignature = Refused("the signature is wrong: another key, or another body")
    }

    private func checkSecret(of request: CallbackRequest, in header: String, _ digests: [[UInt8]]) throws(Refused) {
        guard let given = request.header(header) else { throw Refused("the header \(header) is missing, or comes twice") }
        let digest = SHA256.hash(Array(given.utf8))
        guard matches(digests, { constantTimeEquals($0, digest) }) else {
            throw Refused("the secret in the header \(header) is another one")
        }
    }

    /// The signature and the time of the headers. The time is empty if the signature covers none.
    private func hmac(of request: CallbackRequest, _ signed: SignedBody) throws(Refused) -> (signature: [UInt8], timestamp: String) {
        guard let header = request.header(signed.header) else { throw Refused("the header \(signed.header) is missing, or comes twice") }
        guard header.hasPrefix(signed.prefix) else { throw Refused("the header \(signed.header) does not begin with \(signed.prefix)") }
        guard let signature = signed.decoded(header.dropFirst(signed.prefix.count)) else {
            throw Refused("the header \(signed.header) is not \(signed.encoding.rawValue)")
        }
        guard signature.count == SHA256.byteCount else {
            throw Refused("the header \(signed.header) has \(signature.count) bytes, and an HMAC-SHA256 has \(SHA256.byteCount)")
        }
        guard let name = signed.timestampHeader else { return (signature, "") }
        guard let timestamp = request.header(name) else { throw Refused("the header \(name) is missing, or comes twice") }
        if let problem = problem(ofTimestamp: timestamp, at: request.receivedAt) { throw Refused("the header \(name) \(problem)") }
        return (signature, timestamp)
    }

    /// The signed text before the body, and the signatures, of headers of Standard Webhooks.
    private func webhook(of request: CallbackRequest) throws(Refused) -> (prefix: [UInt8], signatures: ArraySlice<Substring>) {
        guard let id = request.header("webhook-id"), let timestamp = request.header("webhook-timestamp"),
            let signatures = request.header("webhook-signature")
        else { throw Refused("webhook-id, webhook-timestamp or webhook-signature is missing, or comes twice") }
        guard (1...DeliveryReport.longestText).contains(id.utf8.count), !id.contains(".") else {
            throw Refused("webhook-id is empty, too long, or has a full stop")
        }
        if let problem = problem(ofTimestamp: timestamp, at: request.receivedAt) { throw Refused("webhook-timestamp \(problem)") }
        // Bound the work that one header can cause. A rotation needs two signatures.
        return (Array("\(id).\(timestamp).".utf8), signatures.split(separator: " ").prefix(StandardWebhookKey.maximumSignatures))
    }

    /// Tries every element, also after a match, so that the time does not tell which one matched.
    private func matches<Elements: Sequence>(_ elements: Elements, _ isMatch: (Elements.Element) -> Bool) -> Bool {
        elements.reduce(false) { isMatch($1) || $0 }
    }

    /// Returns what is wrong with a timestamp in Unix seconds. Nil if nothing is.
    private func problem(ofTimestamp text: String, at now: Timestamp) -> String? {
        guard (1...12).contains(text.utf8.count), text.utf8.allSatisfy(ASCII.isDigit), let seconds = Int64(text) else {
            return "is not a time in Unix seconds"
        }
        let age = now - Timestamp(seconds: seconds)
        if age > tolerance { return "is too old: the request may be a repetition by somebody else" }
        return age < .zero - tolerance ? "is in the future: compare the clocks" : nil
    }
}

/// The signed text of a callback, and the place and form of its signature.
struct SignedBody: Sendable {
    let header: String
    /// The text before the signature, such as `sha256=`.
    let prefix: String
    let encoding: SignatureEncoding
    /// Nil if the signature covers no time.
    let timestampHeader: String?
    /// The signed text.
    let text: PlaceholderText<Part>

    /// The value of a placeholder in the signed text.
    enum Part: String, Sendable {
        case timestamp, body
    }

    /// Reads a setting with the signed text.
    static func text(_ text: String, hasTimestamp: Bool) throws(SettingProblem) -> PlaceholderText<Part> {
        let signed = try PlaceholderText(setting: text) { (name: String) throws(SettingProblem) -> Part in
            guard let part = Part(rawValue: name) else {
                throw SettingProblem("unknown placeholder \"\(name)\"; there are: timestamp, body")
            }
            return part
        }
        guard signed.names.contains(.body) else { throw SettingProblem("has no {{body}}: anybody could change the body") }
        if hasTimestamp, !signed.names.contains(.timestamp) {
            throw SettingProblem("has no {{timestamp}}: anybody could change the time of callbackTimestampHeader")
        }
        if !hasTimestamp, signed.names.contains(.timestamp) {
            throw SettingProblem("has {{timestamp}}, and callbackTimestampHeader is not set")
        }
        return signed
    }

    func decoded(_ text: Substring) -> [UInt8]? {
        switch encoding {
        case .hex: Hexadecimal.decode(String(text))
        case .base64: Base64.decode(String(text))
        }
    }

    func message(timestamp: String, body: [UInt8]) -> [[UInt8]] {
        text.parts.map { part in
            switch part {
            case .text(let text): Array(text.utf8)
            case .value(.timestamp): Array(timestamp.utf8)
            case .value(.body): body
            }
        }
    }
}

/// A key that verifies callbacks of Standard Webhooks 1.0.0.
enum StandardWebhookKey: Sendable {
    /// `whsec_…`, signatures `v1`.
    case symmetric([UInt8])
    /// `whpk_…`, signatures `v1a`.
    case ed25519(Ed25519PublicKey)

    /// The most signatures of one request that are looked at.
    static let maximumSignatures = 8
    /// In bytes, as the specification demands.
    static let byteCounts = 24...64

    init(_ text: String) throws(SettingProblem) {
        if text.hasPrefix("whpk_") {
            guard let bytes = Base64.decode(String(text.dropFirst(5))), let key = try? Ed25519PublicKey(rawValue: bytes) else {
                throw SettingProblem("a key is not whpk_ followed by the standard base64 of an Ed25519 public key")
            }
            self = .ed25519(key)
            return
        }
        guard let key = Base64.decode(text.hasPrefix("whsec_") ? String(text.dropFirst(6)) : text), Self.byteCounts.contains(key.count)
        else {
            throw SettingProblem("a key is not whsec_ followed by the standard base64 of 24 to 64 bytes")
        }
        self = .symmetric(key)
    }

    /// Whether an entry of `webhook-signature`, such as `v1,…`, is this key's signature. Entries of other versions are none.
    func accepts(_ entry: String, of message: [[UInt8]]) -> Bool {
        switch self {
        case .symmetric(let key):
            guard entry.hasPrefix("v1,"), let signature = Base64.decode(String(entry.dropFirst(3))) else { return false }
            return constantTimeEquals(hmacSHA256(key: key, message: message), signature)
        case .ed25519(let key):
            guard entry.hasPrefix("v1a,"), let signature = Base64.decode(String(entry.dropFirst(4))) else { return false }
            return key.verify(signature, of: Array(message.joined()))
        }
    }
}
