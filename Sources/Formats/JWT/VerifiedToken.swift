public import TidingsCore
public import TidingsJSON

/// The claims of a token whose signature and conditions were verified (RFC 7519 section 4.1). Only ``JWTVerifier`` makes one.
public struct VerifiedToken: Sendable, Hashable {
    /// The person or client (`sub`). The caller decides whether a token may lack it or leave it empty.
    public let subject: String?
    /// The issuer (`iss`).
    public let issuer: String?
    /// The receivers that the token is meant for (`aud`), as a list even if the token has only one text.
    public let audience: [String]
    /// The end of the token (`exp`), without leeway. A cache of verified tokens must drop the token then.
    public let expiresAt: Timestamp
    /// The beginning of the token (`nbf`).
    public let notBefore: Timestamp?
    /// The time at which the token was made (`iat`).
    public let issuedAt: Timestamp?
    /// The members that have no property here, in their order. Their values are signed but not checked.
    public let otherClaims: JSONObject
    /// The id of the key that verified the token, if that key has one.
    public let keyID: String?
    /// The thumbprint of that key (``JSONWebKey/thumbprint``). A cache of verified tokens must drop the token when the key leaves the set.
    public let keyThumbprint: [UInt8]

    /// Reads the payload of a token whose signature was verified. Conditions are not checked yet.
    ///
    /// - Parameter key: the key that verified the signature.
    init(payload: [UInt8], key: JSONWebKey) throws(JWTError) {
        let claims = try JWTParts.object(payload, .payload)
        subject = try Self.text(.subject, of: claims)
        issuer = try Self.text(.issuer, of: claims)
        audience = try Self.audience(of: claims)
        guard let expiresAt = try Self.date(.expiresAt, of: claims) else { throw .noExpiry }
        self.expiresAt = expiresAt
        notBefore = try Self.date(.notBefore, of: claims)
        issuedAt = try Self.date(.issuedAt, of: claims)
        otherClaims = JSONObject(uniqueEntries: claims.entries.filter { JWTClaim(rawValue: $0.key) == nil })
        keyID = key.id
        keyThumbprint = key.thumbprint
    }

    private static func text(_ claim: JWTClaim, of claims: JSONObject) throws(JWTError) -> String? {
        guard let value = claims[claim.rawValue] else { return nil }
        guard let text = value.stringValue, JWTParts.isWhole(text) else { throw .unusableClaim(claim) }
        return text
    }

    private static func audience(of claims: JSONObject) throws(JWTError) -> [String] {
        switch claims[JWTClaim.audience.rawValue] {
        case nil: return []
        case .string(let text) where JWTParts.isWhole(text): return [text]
        case .array(let elements):
            let texts = elements.compactMap(\.stringValue).filter(JWTParts.isWhole)
            guard texts.count == elements.count else { throw .unusableClaim(.audience) }
            return texts
        default: throw .unusableClaim(.audience)
        }
    }

    /// Reads seconds since 1970, which may have a fraction (RFC 7519 section 2, NumericDate). Nil if the claim is absent. `nbf` and `iat` are
    /// optional, and issuers write null for a value that they do not have.
    ///
    /// Dates outside 1970 to 9999 are refused. A token with milliseconds in place of seconds is therefore found out, and never lasts for
    /// thousands of years.
    private static func date(_ claim: JWTClaim, of claims: JSONObject) throws(JWTError) -> Timestamp? {
        guard let value = claims[claim.rawValue] else { return nil }
        if value.isNull, claim != .expiresAt { return nil }
        guard case .number(let number) = value, number.text.utf8.count <= longestDate else { throw .unusableClaim(claim) }
        if let whole = number.int64 {
            guard 0...lastSecond ~= whole else { throw .unusableClaim(claim) }
            return Timestamp(seconds: whole)
        }
        guard let seconds = number.double, seconds >= 0, seconds < Double(lastSecond) else { throw .unusableClaim(claim) }
        return Timestamp(microseconds: Int64(seconds * 1_000_000))
    }

    /// The most characters of a date. The cost of its exact value grows with the length.
    private static let longestDate = 64

    private static let lastSecond = Timestamp.distantFuture.wholeSeconds
}

/// The claims that are read by name.
public enum JWTClaim: String, Sendable, Hashable, CaseIterable {
    case issuer = "iss"
    case subject = "sub"
    case audience = "aud"
    case expiresAt = "exp"
    case notBefore = "nbf"
    case issuedAt = "iat"
}
