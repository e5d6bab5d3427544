import TidingsCore
import TidingsCrypto
import TidingsEncodings
import TidingsJSON

/// A provider token as it arrived: a JSON Web Token by ES256.
///
/// `iat` must be a whole number, because Apple documents no tolerance. A text, a fraction or milliseconds are mistakes.
struct APNsProviderToken: Sendable, Hashable {
    /// In seconds from `iat`.
    static let longestLife: Int64 = 3_600
    /// In seconds: how far `iat` may lie in the future.
    static let skew: Int64 = 300

    let text: String
    let keyID: String
    let teamID: String

    /// - Parameters:
    ///   - authorization: the header: `bearer <token>`.
    ///   - keys: public keys by their ids. If empty, every signature is accepted.
    init(authorization: String?, keys: [String: P256PublicKey], now: Timestamp) throws(APNsFault) {
        let words = (authorization ?? "").split(separator: " ", maxSplits: 1).map(String.init)
        guard words.count == 2, words[0].lowercased() == "bearer" else { throw .missingProviderToken }
        text = words[1]
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, let header = Self.json(parts[0]), let claims = Self.json(parts[1]),
            let signature = Base64URL.decode(parts[2]), signature.count == 64, header["alg"]?.stringValue == "ES256",
            let keyID = header["kid"]?.stringValue, Self.isID(keyID), let teamID = claims["iss"]?.stringValue, Self.isID(teamID),
            let issued = Self.seconds(claims["iat"])
        else { throw .invalidProviderToken }
        self.keyID = keyID
        self.teamID = teamID
        if !keys.isEmpty {
            guard keys[keyID]?.verify(signature, of: Array("\(parts[0]).\(parts[1])".utf8)) == true else { throw .invalidProviderToken }
        }
        guard issued <= now.wholeSeconds + Self.skew else { throw .invalidProviderToken }
        guard now.wholeSeconds - issued <= Self.longestLife else { throw .expiredProviderToken }
    }

    private static func json(_ part: String) -> JSON? {
        Base64URL.decode(part).flatMap { try? JSON.parse($0) }
    }

    private static func seconds(_ value: JSON?) -> Int64? {
        guard case .number(let number)? = value, number.text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return number.int64
    }

    /// Whether the text has ten capital letters or digits, as the ids of keys and teams have.
    static func isID(_ text: String) -> Bool {
        text.utf8.count == 10
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
                default: false
                }
            }
    }
}
