public import TidingsJSON

/// The public keys of an issuer of tokens: a JWK Set (RFC 7517 section 5).
///
/// Keys that cannot verify tokens of ``JWTAlgorithm`` are skipped. A bad key is refused and the other keys remain, so that one mistake of
/// the issuer does not lock everybody out.
public struct JSONWebKeySet: Sendable {
    /// The most bytes of a set. A usual set has 2 to 4 KB. Certificates make it longer.
    public static let longestBytes = 64 << 10
    /// The most keys of a set, skipped keys included. An issuer that rotates keys publishes two or three.
    public static let mostKeys = 64

    /// A key that is not used, and the reason.
    public struct Refusal: Sendable, Hashable, CustomStringConvertible {
        /// The place in the set. The first key is 0.
        public let position: Int
        public let problem: JSONWebKeyProblem

        public var description: String { "key \(position + 1) of the set is refused: \(problem)" }
    }

    /// The usable keys in their order.
    public let keys: [JSONWebKey]
    /// The keys to tell an operator about. Skipped keys are not among them.
    public let refused: [Refusal]

    /// Reads the text of a set. A set without a usable key is no error: see ``keys``. A text that cannot be kept costs at most its own key.
    public init(_ bytes: [UInt8]) throws(JSONWebKeySetError) {
        let elements = try Self.elements(of: bytes)
        var keys: [JSONWebKey] = []
        var refused: [Refusal] = []
        for (position, element) in elements.enumerated() {
            let key: JSONWebKey?
            do throws(JSONWebKeyProblem) {
                key = try JSONWebKey(element)
            } catch {
                refused.append(Refusal(position: position, problem: error))
                continue
            }
            guard let key else { continue }
            // Refuse the whole set: a token that names the id could be meant for either key.
            if let id = key.id, keys.contains(where: { $0.isNamed(id) }) { throw .duplicateID(position: position) }
            keys.append(key)
        }
        self.keys = keys
        self.refused = refused
    }

    private static func elements(of bytes: [UInt8]) throws(JSONWebKeySetError) -> [JSON] {
        guard bytes.count <= longestBytes else { throw .tooLong }
        let json: JSON
        do throws(JSONParseError) {
            json = try JSON.parse(leniently: bytes, limits: .keySet, refusingDuplicates: true)
        } catch { throw .notJSON(error) }
        guard let elements = json["keys"]?.arrayValue else { throw .notASet }
        guard elements.count <= mostKeys else { throw .tooManyKeys(elements.count) }
        return elements
    }

    /// Whether the set has a key of that id.
    public func has(_ id: String) -> Bool { key(id) != nil }

    /// Returns the key of that id.
    func key(_ id: String) -> JSONWebKey? { keys.first { $0.isNamed(id) } }
}

extension JSONWebKey {
    /// Whether this is the key's id. Ids compare code point by code point.
    fileprivate func isNamed(_ id: String) -> Bool { self.id.map { isSameText($0, id) } ?? false }
}

/// The error for bytes that are not a usable set of keys, for an operator.
public enum JSONWebKeySetError: Error, Sendable, Hashable, CustomStringConvertible {
    case tooLong
    case notJSON(JSONParseError)
    case notASet
    case tooManyKeys(Int)
    /// Two keys have one id. The position is the later key's; the first key is 0.
    case duplicateID(position: Int)

    public var description: String {
        switch self {
        case .tooLong: "the set of keys is longer than \(JSONWebKeySet.longestBytes) bytes"
        case .notJSON(let error): "the set of keys is not JSON: \(error)"
        case .notASet: "the set of keys is not a JSON object with an array \"keys\""
        case .tooManyKeys(let count): "the set has \(count) keys; at most \(JSONWebKeySet.mostKeys) are read"
        case .duplicateID(let position): "key \(position + 1) of the set has the \"kid\" of an earlier key; each key needs its own"
        }
    }
}
