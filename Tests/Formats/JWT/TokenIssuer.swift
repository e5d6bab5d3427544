import TidingsCore
import TidingsCrypto
import TidingsEncodings
import TidingsJWT

/// An issuer with the three keys of ``SampleKeys``, which signs whatever a test gives it.
struct TokenIssuer {
    static let name = "https://issuer.example"
    static let now = Timestamp(seconds: 1_799_995_000)

    let ec: P256PrivateKey
    let rsa: RSAPrivateKey
    let ed: Ed25519PrivateKey
    let keys: JSONWebKeySet
    var verifier = JWTVerifier(issuer: name, audience: "tidings")

    init() throws {
        ec = try P256PrivateKey(pem: SampleKeys.ecPrivatePEM)
        rsa = try RSAPrivateKey(pem: SampleKeys.rsaPrivatePEM)
        ed = try Ed25519PrivateKey(rawValue: Base64URL.decode(SampleKeys.edSecret) ?? [])
        keys = try JSONWebKeySet(Array(SampleKeys.set.utf8))
    }

    func sign(_ message: [UInt8], by algorithm: JWTAlgorithm) -> [UInt8] {
        switch algorithm {
        case .es256: ec.sign(message)
        case .rs256: rsa.sign(message)
        case .edDSA: ed.sign(message)
        }
    }

    /// A token of these texts with a right signature, whatever the texts say.
    func token(header: String? = nil, payload: String = payload(), by algorithm: JWTAlgorithm = .es256) -> String {
        let signed = Self.signed(header ?? Self.header(algorithm), Array(payload.utf8))
        return "\(signed).\(Base64URL.encode(sign(Array(signed.utf8), by: algorithm)))"
    }

    /// Returns the reason why the token is refused. Nil if it is accepted.
    func refusal(of token: String, now: Timestamp = now) -> JWTError? {
        do throws(JWTError) {
            _ = try verifier.verify(token, keys: keys, now: now)
            return nil
        } catch {
            return error
        }
    }

    // MARK: Texts

    /// The first two parts of a token.
    static func signed(_ header: String, _ payload: [UInt8]) -> String {
        "\(Base64URL.encode(header.utf8)).\(Base64URL.encode(payload))"
    }

    /// The header of a good token.
    static func header(_ algorithm: JWTAlgorithm = .es256) -> String {
        #"{"alg":"\#(algorithm.rawValue)","typ":"JWT","kid":"\#(keyID(algorithm))"}"#
    }

    static func keyID(_ algorithm: JWTAlgorithm) -> String {
        switch algorithm {
        case .es256: "ec"
        case .rs256: "rsa"
        case .edDSA: "ed"
        }
    }

    /// The payload of a good token, with members replaced by other JSON text. A member with nil is left out.
    static func payload(_ changes: KeyValuePairs<String, String?> = [:]) -> String {
        var members: [(String, String?)] = [
            ("iss", #""\#(name)""#), ("aud", #""tidings""#), ("sub", #""p-7""#), ("exp", "1800000000"), ("nbf", "1799990000"),
            ("iat", "1799990000"),
        ]
        for (name, value) in changes {
            if let place = members.firstIndex(where: { $0.0 == name }) { members[place].1 = value } else { members.append((name, value)) }
        }
        return "{\(members.compactMap { name, value in value.map { "\"\(name)\":\($0)" } }.joined(separator: ","))}"
    }
}
