import TidingsCore
import TidingsCrypto
import TidingsEncodings
import TidingsJSON

/// Whom pushes are sent as: a signing key of a developer team.
struct SigningIdentity: Sendable {
    var key: P256PrivateKey
    /// Tells Apple which of the team's keys signed.
    var keyID: String
    var teamID: String

    /// A provider token, as Apple documents it: a JSON Web Token by ES256 (RFC 7518 section 3.4), `header.claims.signature` in Base64url.
    /// Apple takes it until an hour after `iat`. Signatures are random, so the same claims make another token each time.
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

    /// What ids of keys and teams look like: `ABC123DEFG`.
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
