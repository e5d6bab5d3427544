public import TidingsCrypto
internal import TidingsEncodings
public import TidingsJSON

/// A signer of tokens by ES256, for development and tests: the counterpart of ``JWTVerifier``.
public struct JWTSigner: Sendable {
    /// The name of the key in tokens and in ``publicKeySet``: its thumbprint (RFC 7638), so that the same key always has the same name.
    public let keyID: String
    private let key: P256PrivateKey
    private let header: String

    /// A signer with a new random key.
    public init() { self.init(key: P256PrivateKey()) }

    /// Reads a P-256 key in PEM form. The error never holds the key.
    public init(pem: String) throws(P256KeyError) { self.init(key: try P256PrivateKey(pem: pem)) }

    private init(key: P256PrivateKey) {
        self.key = key
        // RFC 7638 section 3.2: the members in this order and without spaces.
        var members = JSONWriter()
        members.beginObject()
        Self.writeRequired(key.publicKey, to: &members)
        members.endObject()
        keyID = Base64URL.encode(SHA256.hash(members.bytes))
        var header = JSONWriter()
        header.beginObject()
        header.member("alg", JWTAlgorithm.es256.rawValue)
        header.member("kid", keyID)
        header.member("typ", "JWT")
        header.endObject()
        self.header = Base64URL.encode(header.bytes)
    }

    /// The private key as PKCS #8 in PEM form, to be kept in a file that only its owner can read.
    public var pem: String { key.pem }

    /// The set with the public half of the key, as ``JSONWebKeySet`` reads it.
    public var publicKeySet: String {
        var json = JSONWriter()
        json.beginObject()
        json.key("keys")
        json.beginArray()
        json.beginObject()
        Self.writeRequired(key.publicKey, to: &json)
        json.member("kid", keyID)
        json.member("use", "sig")
        json.member("alg", JWTAlgorithm.es256.rawValue)
        json.endObject()
        json.endArray()
        json.endObject()
        return json.text
    }

    /// Returns a token in compact form with these claims. The claims are not checked.
    public func sign(_ claims: JSONObject) -> String {
        let signed = "\(header).\(Base64URL.encode(JSON.object(claims).serializedBytes))"
        return "\(signed).\(Base64URL.encode(key.sign(Array(signed.utf8))))"
    }

    /// Writes the members that every key on P-256 has, in the order of the alphabet.
    private static func writeRequired(_ key: P256PublicKey, to json: inout JSONWriter) {
        let coordinates = key.point.dropFirst()
        json.member("crv", "P-256")
        json.member("kty", "EC")
        json.member("x", Base64URL.encode(coordinates.prefix(P256PrivateKey.byteCount)))
        json.member("y", Base64URL.encode(coordinates.suffix(P256PrivateKey.byteCount)))
    }
}
