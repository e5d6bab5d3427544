internal import TidingsJSON

/// The members of a token's header that matter here (RFC 7515 section 4.1).
///
/// `jwk`, `jku`, `x5u` and `x5c` are ignored: a token must not bring the key that verifies it.
struct JWTHeader {
    let algorithm: JWTAlgorithm
    let keyID: String?

    /// The media types that are accepted as `typ`: RFC 7519 section 5.1, RFC 9068 section 2.1.
    private static let types: Set = ["application/jwt", "application/at+jwt"]

    /// The media type that a `typ` names. `application/` may be left out if there is no other slash (RFC 7515 section 4.1.9).
    private static func mediaType(_ type: String) -> String { (type.contains("/") ? type : "application/" + type).lowercased() }

    init(_ bytes: [UInt8]) throws(JWTError) {
        let object = try JWTParts.object(bytes, .header)
        // An extension that the issuer calls critical is refused, because none is known here.
        guard object["crit"] == nil else { throw .criticalExtension }
        // `enc` marks encryption (RFC 7516 section 9), whatever the number of parts.
        guard object["enc"] == nil else { throw .encrypted }
        // `cty` marks a token inside the token (RFC 7519 section 5.2).
        guard object["cty"] == nil else { throw .nested }
        // RFC 7797: with `b64` false the payload is signed as it is.
        if let isEncoded = object["b64"], isEncoded != true { throw .unencodedPayload }
        if let type = object["typ"] {
            guard let text = type.stringValue, Self.types.contains(Self.mediaType(text)) else { throw .wrongType }
        }
        guard let name = object["alg"]?.stringValue, let algorithm = JWTAlgorithm(rawValue: name) else { throw .algorithmNotAllowed }
        self.algorithm = algorithm
        guard let keyID = object["kid"] else {
            self.keyID = nil
            return
        }
        guard let text = keyID.stringValue, JWTParts.isWhole(text) else { throw .unusableKeyID }
        self.keyID = text
    }
}
