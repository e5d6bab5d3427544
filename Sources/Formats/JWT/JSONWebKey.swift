public import TidingsCrypto
internal import TidingsEncodings
internal import TidingsJSON

/// A public key that verifies tokens, read from a JSON Web Key (RFC 7517 section 4).
public struct JSONWebKey: Sendable {
    /// The key's name in the header of a token (`kid`), if it has one.
    public let id: String?
    /// The thumbprint of the key (RFC 7638), 32 bytes: a SHA-256 of the members that make the key. Another name is no other key.
    public let thumbprint: [UInt8]
    private let material: Material

    private enum Material: Sendable {
        case p256(P256PublicKey)
        case rsa(RSAPublicKey)
        case ed25519(Ed25519PublicKey)
    }

    /// The only algorithm that this key verifies. The key's kind decides it, never the token.
    public var algorithm: JWTAlgorithm {
        switch material {
        case .p256: .es256
        case .rsa: .rs256
        case .ed25519: .edDSA
        }
    }

    /// Whether the signature is this key's signature over exactly this message.
    func isSignature(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        switch material {
        case .p256(let key): key.verify(signature, of: message)
        case .rsa(let key): key.verify(signature, of: message)
        case .ed25519(let key): key.verify(signature, of: message)
        }
    }
}

extension JSONWebKey {
    /// The longest `kid` in bytes.
    static let longestID = 255

    /// Reads one element of a set. Nil for a key that is well formed but of no use here: another kind, curve, algorithm or purpose.
    ///
    /// A private member is an error even if the key is of no use, because a published secret must be replaced.
    init?(_ json: JSON) throws(JSONWebKeyProblem) {
        guard let object = json.objectValue else { throw .notAnObject }
        guard let kind = Kind(rawValue: try Self.text("kty", of: object) ?? "") else { return nil }
        for name in Kind.privateMembers where object[name] != nil { throw .privateMember(name) }
        guard try Self.isForSignatures(object), try Self.isFor(kind.algorithm, object) else { return nil }
        let id = try Self.text("kid", of: object)
        guard id.map({ 1...Self.longestID ~= $0.utf8.count }) ?? true else { throw .unusableMember("kid") }
        guard let material = try Self.material(kind, of: object) else { return nil }
        self.id = id
        self.material = material
        thumbprint = try Self.thumbprint(kind, of: object)
    }

    /// The kinds of keys that can be read.
    private enum Kind: String {
        case ellipticCurve = "EC"
        case rsa = "RSA"
        case octetPair = "OKP"

        var algorithm: JWTAlgorithm {
            switch self {
            case .ellipticCurve: .es256
            case .rsa: .rs256
            case .octetPair: .edDSA
            }
        }

        /// The members that make a key of this kind, by their names (RFC 7638 section 3.2, RFC 8037 section 2).
        var requiredMembers: [String] {
            switch self {
            case .ellipticCurve: ["crv", "kty", "x", "y"]
            case .rsa: ["e", "kty", "n"]
            case .octetPair: ["crv", "kty", "x"]
            }
        }

        /// The members of private keys of all three kinds (RFC 7518 sections 6.2.2 and 6.3.2, RFC 8037 section 2).
        static let privateMembers = ["d", "p", "q", "dp", "dq", "qi", "oth"]
    }

    /// Whether `use` and `key_ops` allow verification. Both are optional.
    private static func isForSignatures(_ object: JSONObject) throws(JSONWebKeyProblem) -> Bool {
        if let use = try text("use", of: object), use != "sig" { return false }
        guard let operations = object["key_ops"] else { return true }
        guard let operations = operations.arrayValue else { throw .unusableMember("key_ops") }
        return operations.contains("verify")
    }

    private static func isFor(_ algorithm: JWTAlgorithm, _ object: JSONObject) throws(JSONWebKeyProblem) -> Bool {
        try text("alg", of: object).map { $0 == algorithm.rawValue } ?? true
    }

    /// Nil for another curve.
    private static func material(_ kind: Kind, of object: JSONObject) throws(JSONWebKeyProblem) -> Material? {
        switch kind {
        case .ellipticCurve:
            guard try text("crv", of: object) == "P-256" else { return nil }
            let (x, y) = (try bytes("x", of: object), try bytes("y", of: object))
            // Check both lengths: a shorter x with a longer y would make a point of the right length.
            guard x.count == P256PrivateKey.byteCount else { throw .unusableMember("x") }
            guard y.count == P256PrivateKey.byteCount else { throw .unusableMember("y") }
            do throws(P256KeyError) { return .p256(try P256PublicKey(point: [4] + x + y)) } catch { throw .p256(error) }
        case .rsa:
            let (modulus, exponent) = (try bytes("n", of: object), try bytes("e", of: object))
            do throws(RSAKeyError) {
                return .rsa(try RSAPublicKey(modulus: modulus, exponent: exponent))
            } catch { throw .rsa(error) }
        case .octetPair:
            guard try text("crv", of: object) == "Ed25519" else { return nil }
            let point = try bytes("x", of: object)
            do throws(Ed25519KeyError) { return .ed25519(try Ed25519PublicKey(rawValue: point)) } catch { throw .ed25519(error) }
        }
    }

    /// The members were read already, so they are names and Base64url. JSON writes these without escapes.
    private static func thumbprint(_ kind: Kind, of object: JSONObject) throws(JSONWebKeyProblem) -> [UInt8] {
        var members: [String] = []
        for name in kind.requiredMembers {
            let value = try text(name, of: object) ?? ""
            members.append("\"\(name)\":\"\(value)\"")
        }
        return SHA256.hash(Array("{\(members.joined(separator: ","))}".utf8))
    }

    private static func bytes(_ name: String, of object: JSONObject) throws(JSONWebKeyProblem) -> [UInt8] {
        guard let text = try text(name, of: object), let bytes = Base64URL.decode(text) else { throw .unusableMember(name) }
        return bytes
    }

    /// Nil for an absent member.
    private static func text(_ name: String, of object: JSONObject) throws(JSONWebKeyProblem) -> String? {
        guard let value = object[name] else { return nil }
        guard let text = value.stringValue else { throw .unusableMember(name) }
        return text
    }
}

/// The reason why a key of a set is refused, for an operator. It never holds key material.
public enum JSONWebKeyProblem: Error, Sendable, Hashable, CustomStringConvertible {
    case notAnObject
    /// A member is missing, of the wrong type, or not Base64url.
    case unusableMember(String)
    case privateMember(String)
    case p256(P256KeyError)
    case rsa(RSAKeyError)
    case ed25519(Ed25519KeyError)

    public var description: String {
        switch self {
        case .notAnObject: "it is not a JSON object"
        case .unusableMember("kid"): "its member \"kid\" is not text of 1 to \(JSONWebKey.longestID) bytes"
        case .unusableMember(let name): "its member \"\(name)\" is missing or has the wrong form"
        case .privateMember(let name):
            "it holds the private member \"\(name)\": replace the key, and publish only the public half of the new one"
        case .p256(let error): error.description
        case .rsa(let error): error.description
        case .ed25519(let error): error.description
        }
    }
}
