import TidingsCore
import TidingsCrypto
import TidingsEncodings
import TidingsJSON

/// The JSON Web Token that a service account exchanges for an access token: RFC 7523 with Google's claims.
extension ServiceAccount {
    /// The only scope that an access token needs for sending.
    static let scope = "https://www.googleapis.com/auth/firebase.messaging"
    /// In seconds: the longest life that Google allows.
    static let assertionSeconds: Int64 = 3_600

    /// Returns `header.claims.signature`, each part in Base64url.
    func assertion(at now: Timestamp) -> String {
        let signed = "\(Base64URL.encode(assertionHeader)).\(Base64URL.encode(assertionClaims(at: now)))"
        return "\(signed).\(Base64URL.encode(privateKey.sign(Array(signed.utf8))))"
    }

    /// Returns the form that carries an assertion to ``tokenURI``.
    static func exchangeBody(of assertion: String) -> [UInt8] {
        Array("grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=\(assertion)".utf8)
    }

    var assertionHeader: [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.member("alg", "RS256")
        json.member("typ", "JWT")
        if let privateKeyID { json.member("kid", privateKeyID) }
        json.endObject()
        return json.bytes
    }

    func assertionClaims(at now: Timestamp) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.member("iss", clientEmail)
        json.member("scope", Self.scope)
        json.member("aud", tokenURI)
        json.member("iat", now.wholeSeconds)
        json.member("exp", now.wholeSeconds + Self.assertionSeconds)
        json.endObject()
        return json.bytes
    }
}
