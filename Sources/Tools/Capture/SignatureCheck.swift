import TidingsCore
import TidingsCrypto
import TidingsEncodings

/// Verifies requests like a receiver that follows Standard Webhooks 1.0.0.
struct SignatureCheck: Sendable {
    /// In seconds, into the past and the future: the tolerance of the specification's own libraries.
    static let tolerance: Int64 = 300

    private let keys: [[UInt8]]

    /// Reads secrets, with or without the prefix `whsec_`.
    init(secrets: [String]) throws(CaptureError) {
        var keys: [[UInt8]] = []
        for secret in secrets {
            let encoded = secret.hasPrefix("whsec_") ? String(secret.dropFirst(6)) : secret
            guard let key = Base64.decode(encoded), !key.isEmpty else {
                throw CaptureError(message: "a secret is not whsec_ followed by standard base64")
            }
            keys.append(key)
        }
        self.keys = keys
    }

    /// Checks the bytes as they arrived. Signatures of other versions are ignored.
    func verdict(id: String?, timestamp: String?, signature: String?, body: [UInt8], now: Timestamp) -> SignatureVerdict {
        guard let signature else { return .absent }
        guard !keys.isEmpty else { return .unchecked }
        guard let id, let timestamp, let seconds = Int64(timestamp) else { return .invalid }
        let message: [[UInt8]] = [Array("\(id).\(timestamp).".utf8), body]
        let given = signature.split(separator: " ").filter { $0.hasPrefix("v1,") }.compactMap { Base64.decode(String($0.dropFirst(3))) }
        let isRight = keys.contains { key in
            let expected = hmacSHA256(key: key, message: message)
            return given.contains { constantTimeEquals($0, expected) }
        }
        guard isRight else { return .invalid }
        let age = now.wholeSeconds.subtractingReportingOverflow(seconds)
        return !age.overflow && age.partialValue.magnitude <= Self.tolerance.magnitude ? .valid : .stale
    }
}
