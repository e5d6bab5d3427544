public import TidingsCore
internal import TidingsJSON

/// The conditions under which a JSON Web Token (RFC 7519) is accepted. It is a value without clock, network and state.
///
/// The checks follow RFC 8725: the key decides the algorithm, the algorithm must be allowed, and no part of the payload is read before the
/// signature was verified.
public struct JWTVerifier: Sendable, Hashable {
    /// The longest token in bytes. A usual token has 300 to 1500.
    public static let longestToken = 8 << 10
    /// The difference between the clocks of issuer and server that is tolerated.
    public static let usualLeeway: Duration = .seconds(60)

    /// The algorithms that are accepted. An empty set accepts no token.
    public var algorithms: Set<JWTAlgorithm>
    /// The only accepted issuer (`iss`). If nil, the issuer is not checked.
    public var issuer: String?
    /// The text that the audience (`aud`) must contain. If nil, the audience is not checked.
    public var audience: String?
    /// The time by which `exp` may have passed, and by which `nbf` and `iat` may lie ahead.
    public var leeway: Duration
    /// The longest time from `iat` to `exp`. If a token has no `iat`, the time counts from now. If nil, a token may live for any time.
    public var longestLifetime: Duration?

    public init(
        algorithms: Set<JWTAlgorithm> = Set(JWTAlgorithm.allCases), issuer: String?, audience: String?, leeway: Duration = usualLeeway,
        longestLifetime: Duration? = nil
    ) {
        self.algorithms = algorithms
        self.issuer = issuer
        self.audience = audience
        self.leeway = leeway
        self.longestLifetime = longestLifetime
    }

    /// Returns the claims of a token in compact form, which is accepted as it is: without spaces or a scheme such as `Bearer`.
    ///
    /// ``JWTError/unknownKey`` is worth one more try with keys that were loaded again. The caller must limit how often it loads, because
    /// anybody can write such a token.
    ///
    /// The result may be cached until ``VerifiedToken/expiresAt``, as long as the key remains in the set.
    public func verify(_ token: String, keys: JSONWebKeySet, now: Timestamp) throws(JWTError) -> VerifiedToken {
        let parts = try JWTParts(token)
        let header = try JWTHeader(parts.header)
        guard algorithms.contains(header.algorithm) else { throw .algorithmNotAllowed }
        let key = try Self.key(for: header, in: keys)
        guard key.isSignature(parts.signature, of: parts.signed) else { throw .wrongSignature }
        let claims = try VerifiedToken(payload: parts.payload, key: key)
        try check(claims, now: now)
        return claims
    }

    /// The id of the key (`kid`) that a token names, before anything of the token is verified. Nil if it names none, or is no token.
    public static func keyID(of token: String) -> String? {
        guard let parts = try? JWTParts(token) else { return nil }
        return (try? JWTHeader(parts.header))?.keyID
    }

    private static func key(for header: JWTHeader, in keys: JSONWebKeySet) throws(JWTError) -> JSONWebKey {
        if let id = header.keyID {
            guard let key = keys.key(id) else { throw .unknownKey }
            // The header has no say: a key verifies only its own algorithm (RFC 8725 section 3.1).
            guard key.algorithm == header.algorithm else { throw .otherAlgorithmThanKey }
            return key
        }
        let candidates = keys.keys.filter { $0.algorithm == header.algorithm }
        guard let key = candidates.first else { throw .unknownKey }
        guard candidates.count == 1 else { throw .noKeyID }
        return key
    }

    private func check(_ claims: VerifiedToken, now: Timestamp) throws(JWTError) {
        // RFC 7519 section 4.1.4: the token is not accepted on or after this time.
        guard now < claims.expiresAt.adding(leeway) else { throw .expired }
        let latest = now.adding(leeway)
        if let notBefore = claims.notBefore, notBefore > latest { throw .notYetValid }
        if let issuedAt = claims.issuedAt, issuedAt > latest { throw .issuedInTheFuture }
        if let longestLifetime, claims.expiresAt > (claims.issuedAt ?? latest).adding(longestLifetime) { throw .livesTooLong }
        if let issuer {
            guard let named = claims.issuer, isSameText(named, issuer) else { throw .wrongIssuer }
        }
        if let audience {
            guard claims.audience.contains(where: { isSameText($0, audience) }) else { throw .wrongAudience }
        }
    }
}
