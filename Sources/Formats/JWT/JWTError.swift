public import TidingsJSON

/// The reason why a token is not accepted.
///
/// The description may be sent to the caller. It holds no part of the token, of the keys or of the configuration.
public enum JWTError: Error, Sendable, Hashable, CustomStringConvertible {
    // The form of the token
    case tooLong
    case notThreeParts
    case encrypted
    case notBase64URL(JWTPart)
    case notJSON(JWTPart, JSONParseError.Code)
    case notAnObject(JWTPart)
    // The header
    case criticalExtension
    case nested
    case unencodedPayload
    case wrongType
    case unusableKeyID
    // The algorithm, the key and the signature
    case algorithmNotAllowed
    /// No key of the set has the token's id, or no key has its algorithm if the token names no key. Keys that are loaded again may help.
    case unknownKey
    case noKeyID
    case otherAlgorithmThanKey
    case wrongSignature
    // The claims
    case unusableClaim(JWTClaim)
    case noExpiry
    case expired
    case notYetValid
    case issuedInTheFuture
    case livesTooLong
    case wrongIssuer
    case wrongAudience

    public var description: String {
        switch self {
        case .tooLong: "the token is longer than \(JWTVerifier.longestToken) bytes"
        case .notThreeParts: "the token does not have three parts: header, payload and signature"
        case .encrypted: "the token is encrypted; only signed tokens are accepted"
        case .notBase64URL(let part): "the token's \(part.rawValue) is not Base64url without padding"
        case .notJSON(let part, .duplicateKey): "the token's \(part.rawValue) has a member name twice"
        case .notJSON(let part, let code): "the token's \(part.rawValue) is not acceptable JSON (\(code.rawValue))"
        case .notAnObject(let part): "the token's \(part.rawValue) is not a JSON object"
        case .criticalExtension: "the token's header has \"crit\"; no extension is supported"
        case .nested: "the token's header has \"cty\"; a token inside a token is not supported"
        case .unencodedPayload: "the token's payload is not encoded (\"b64\"), which is not supported"
        case .wrongType: "the token's \"typ\" is neither JWT nor at+jwt"
        case .unusableKeyID: "the token's \"kid\" is not text"
        case .algorithmNotAllowed: "the token's \"alg\" is not an allowed algorithm"
        case .unknownKey: "the token's key is not among the issuer's keys"
        case .noKeyID: "the token has no \"kid\", but the issuer has several keys of its algorithm"
        case .otherAlgorithmThanKey: "the token's \"alg\" is not the algorithm of its key"
        case .wrongSignature: "the token's signature is wrong"
        case .unusableClaim(let claim): "the token's \"\(claim.rawValue)\" has the wrong type or is out of range"
        case .noExpiry: "the token has no \"exp\""
        case .expired: "the token has expired"
        case .notYetValid: "the token is not valid yet (\"nbf\")"
        case .issuedInTheFuture: "the token was issued in the future (\"iat\")"
        case .livesTooLong: "the token's \"exp\" is later than the server accepts"
        case .wrongIssuer: "the token's \"iss\" is not the accepted issuer"
        case .wrongAudience: "the token's \"aud\" does not name this service"
        }
    }
}

/// The parts of a token.
public enum JWTPart: String, Sendable, Hashable {
    case header
    case payload
    case signature
}
