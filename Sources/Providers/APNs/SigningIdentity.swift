import TidingsCore
import TidingsCrypto
import TidingsEncodings
import TidingsJSON

/// The sender's identity: a signing key of a developer team.
struct SigningIdentity: Sendable {
    var key: P256PrivateKey
    /// The id of the signing key, so that Apple knows which of the team's keys signed.
    var keyID: String
    var teamID: String

    /// Returns a provider token, as Apple documents it: a JSON Web Token by ES256 (RFC 7518 section 3.4), `header.claims.signature` in
    /// Base64url.
    ///
    /// Apple accepts the token until an hour after `iat`. Signatures are random, so the same claims make another token each time.
    func token(at now: Timestamp) -> String {
        let signed = "\(Base64URL.encode(header)).\(Base64URL.encode(claims(at: now)))"
        return "\(signed).\(Base64URL.encode(key.sign(Array(signed.utf8))))"
    }

    private var header: [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.member("alg", "ES256")
        json.member("kid", keyID)
        json.endObject()
        return json.bytes
    }

    private func claims(at now: Timestamp) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.member("iss", teamID)
        json.member("iat", now.wholeSeconds)
        json.endObject()
        return json.bytes
    }

    /// Whether the text has the form of a key's or a team's id, such as `ABC123DEFG`.
    static func isID(_ text: String) -> Bool {
        text.utf8.count == 10
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
                default: false
                }
            }
    }
}
