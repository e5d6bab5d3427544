import TidingsCore
import TidingsCrypto
import TidingsEncodings
import TidingsJSON

/// The identity of the sender towards every push service: Voluntary Application Server Identification, RFC 8292.
///
/// A browser binds its subscription to the key. A new key therefore needs new subscriptions.
struct VAPIDIdentity: Sendable {
    /// In seconds: how long a token is valid. RFC 8292 section 2 allows 24 hours; 12 hours leave room for clocks that differ.
    static let tokenLife: Int64 = 43_200

    let key: P256PrivateKey
    /// The contact of the sender for push services: a `mailto:` or `https:` address.
    let subject: String

    /// Returns the value of the `authorization` header for a push service.
    ///
    /// - Parameter origin: the origin of the subscription's endpoint, see ``PushSubscription/origin``.
    func authorization(for origin: String, at now: Timestamp) -> String {
        "vapid t=\(token(for: origin, at: now)), k=\(Base64URL.encode(key.publicKey.point))"
    }

    /// Returns a JSON Web Token, `header.claims.signature`, each part in Base64url.
    func token(for origin: String, at now: Timestamp) -> String {
        let signed = "\(Base64URL.encode(Self.header.utf8)).\(Base64URL.encode(claims(for: origin, at: now)))"
        return "\(signed).\(Base64URL.encode(key.sign(Array(signed.utf8))))"
    }

    private static let header = #"{"typ":"JWT","alg":"ES256"}"#

    private func claims(for origin: String, at now: Timestamp) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.member("aud", origin)
        json.member("exp", now.wholeSeconds + Self.tokenLife)
        json.member("sub", subject)
        json.endObject()
        return json.bytes
    }
}
