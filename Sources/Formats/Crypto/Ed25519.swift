/// A private key for Ed25519 signatures (RFC 8032 section 5.1). Its text form does not show the key.
public struct Ed25519PrivateKey: Sendable {
    /// The length of the key's secret in bytes.
    public static let byteCount = 32

    /// The half that may be published.
    public let publicKey: Ed25519PublicKey
    private let key: KeyHandle

    /// A new random key.
    public init() {
        guard let key = KeyHandle.randomEd25519(), let publicKey = Ed25519PublicKey(of: key) else {
            preconditionFailure("libcrypto cannot make an Ed25519 key: out of memory, or without randomness")
        }
        self.key = key
        self.publicKey = publicKey
    }

    /// Makes the key with this secret of 32 bytes. Every 32 bytes are a key.
    public init(rawValue: [UInt8]) throws(Ed25519KeyError) {
        guard rawValue.count == Self.byteCount else { throw .wrongLength(rawValue.count, of: Self.byteCount) }
        guard let key = KeyHandle(ed25519Secret: rawValue), let publicKey = Ed25519PublicKey(of: key) else { throw .notAKey }
        self.key = key
        self.publicKey = publicKey
    }

    /// Reads PEM text without a passphrase, PKCS #8 (`-----BEGIN PRIVATE KEY-----`). The error never holds the key.
    public init(pem: String) throws(Ed25519KeyError) {
        guard let key = KeyHandle(pem: pem) else { throw .notAPrivateKey }
        guard key.isEd25519, let publicKey = Ed25519PublicKey(of: key) else { throw .notEd25519 }
        self.key = key
        self.publicKey = publicKey
    }

    /// Returns the signature, 64 bytes. The same message always has the same signature.
    public func sign(_ message: [UInt8]) -> [UInt8] {
        guard let signature = key.signature(of: message, digest: .builtIn) else {
            preconditionFailure("libcrypto cannot sign with an Ed25519 key: out of memory")
        }
        return signature
    }
}

/// The half of an ``Ed25519PrivateKey`` that may be published. It verifies signatures.
public struct Ed25519PublicKey: Sendable {
    /// The length of an encoded point in bytes: y, the least significant byte first, and the sign of x in the highest bit.
    public static let byteCount = 32

    /// The encoded point, 32 bytes.
    public let rawValue: [UInt8]
    private let key: KeyHandle

    /// Takes an encoded point of 32 bytes.
    ///
    /// A point of small order is refused, because anybody could write signatures for it. Bytes that are no point of the curve are taken,
    /// but verify no signature.
    public init(rawValue: [UInt8]) throws(Ed25519KeyError) {
        guard rawValue.count == Self.byteCount else { throw .wrongLength(rawValue.count, of: Self.byteCount) }
        guard Ed25519Point.isCanonical(rawValue) else { throw .notCanonical }
        guard !Ed25519Point.hasSmallOrder(rawValue) else { throw .smallOrder }
        guard let key = KeyHandle(ed25519Point: rawValue) else { throw .notAKey }
        self.rawValue = rawValue
        self.key = key
    }

    /// Takes the public half of a private key.
    fileprivate init?(of key: KeyHandle) {
        guard let point = key.ed25519Point else { return nil }
        rawValue = point
        self.key = key
    }

    /// Whether these 64 bytes are the key's signature over exactly this message.
    public func verify(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        key.isSignature(signature, of: message, digest: .builtIn)
    }
}

/// Checks of encoded points that libcrypto leaves to its caller.
private enum Ed25519Point {
    /// Whether y is below the prime 2^255 - 19 (RFC 8032 section 5.1.3), so that each point has one encoding.
    static func isCanonical(_ point: [UInt8]) -> Bool {
        let y = withoutSign(point)
        return !(y[0] >= 0xED && y[1..<31].allSatisfy { $0 == 0xFF } && y[31] == 0x7F)
    }

    static func hasSmallOrder(_ point: [UInt8]) -> Bool {
        smallOrder.contains(withoutSign(point))
    }

    private static func withoutSign(_ point: [UInt8]) -> [UInt8] { point.dropLast() + point.suffix(1).map { $0 & 0x7F } }

    /// The y coordinates of the eight points whose order divides the cofactor 8.
    private static let smallOrder: [[UInt8]] = [
        [UInt8](repeating: 0, count: 32),
        [1] + [UInt8](repeating: 0, count: 31),
        [0xEC] + [UInt8](repeating: 0xFF, count: 30) + [0x7F],
        [
            0x26, 0xE8, 0x95, 0x8F, 0xC2, 0xB2, 0x27, 0xB0, 0x45, 0xC3, 0xF4, 0x89, 0xF2, 0xEF, 0x98, 0xF0,
            0xD5, 0xDF, 0xAC, 0x05, 0xD3, 0xC6, 0x33, 0x39, 0xB1, 0x38, 0x02, 0x88, 0x6D, 0x53, 0xFC, 0x05,
        ],
        [
            0xC7, 0x17, 0x6A, 0x70, 0x3D, 0x4D, 0xD8, 0x4F, 0xBA, 0x3C, 0x0B, 0x76, 0x0D, 0x10, 0x67, 0x0F,
            0x2A, 0x20, 0x53, 0xFA, 0x2C, 0x39, 0xCC, 0xC6, 0x4E, 0xC7, 0xFD, 0x77, 0x92, 0xAC, 0x03, 0x7A,
        ],
    ]
}

/// The error for bytes or text that are not a usable Ed25519 key.
public enum Ed25519KeyError: Error, Sendable, Hashable, CustomStringConvertible {
    case notAPrivateKey
    case notEd25519
    case notAKey
    case wrongLength(Int, of: Int)
    case notCanonical
    case smallOrder

    public var description: String {
        switch self {
        case .notAPrivateKey: "it is not a private key in PEM form without a passphrase (-----BEGIN PRIVATE KEY-----)"
        case .notEd25519: "it is a key of another kind than Ed25519"
        case .notAKey: "its bytes are not an Ed25519 key"
        case .wrongLength(let count, let right): "it has \(count) bytes instead of \(right)"
        case .notCanonical: "its coordinate is not below the prime of the curve"
        case .smallOrder: "it is a point of small order, so its signatures prove nothing; make a new key"
        }
    }
}
