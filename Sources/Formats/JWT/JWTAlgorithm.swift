/// The signature algorithms of tokens (RFC 7518 section 3.1, RFC 8037 section 3.1). The list is closed: `none` and algorithms with a shared
/// secret cannot be expressed.
public enum JWTAlgorithm: String, Sendable, Hashable, CaseIterable {
    /// ECDSA on the curve P-256 with SHA-256.
    case es256 = "ES256"
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    case rs256 = "RS256"
    /// Ed25519. Ed448 has the same name in tokens, but no key here is of that curve.
    case edDSA = "EdDSA"
}
