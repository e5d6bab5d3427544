internal import TidingsEncodings
internal import TidingsJSON

/// The parts of a token in compact form (RFC 7515 section 7.1), decoded but not verified.
struct JWTParts {
    let header: [UInt8]
    let payload: [UInt8]
    let signature: [UInt8]
    /// The bytes that the signature is over: header and payload as they were sent, with the dot between them.
    let signed: [UInt8]

    /// Splits a token. Each part must be the only Base64url text of its bytes: no padding, spaces, line breaks or stray low bits.
    init(_ token: String) throws(JWTError) {
        // Count before copying, because the text comes from outside.
        guard token.utf8.count <= JWTVerifier.longestToken else { throw .tooLong }
        let bytes = Array(token.utf8)
        let dots = bytes.indices.filter { bytes[$0] == UInt8(ascii: ".") }
        // JSON Web Encryption has five parts (RFC 7516 section 7.1).
        guard dots.count != 4 else { throw .encrypted }
        guard dots.count == 2 else { throw .notThreeParts }
        header = try Self.decoded(bytes[..<dots[0]], .header)
        payload = try Self.decoded(bytes[(dots[0] + 1)..<dots[1]], .payload)
        signature = try Self.decoded(bytes[(dots[1] + 1)...], .signature)
        signed = Array(bytes[..<dots[1]])
    }

    private static func decoded(_ text: ArraySlice<UInt8>, _ part: JWTPart) throws(JWTError) -> [UInt8] {
        guard let bytes = Base64URL.decode(String(decoding: text, as: UTF8.self)) else { throw .notBase64URL(part) }
        return bytes
    }

    /// Reads a part that must be a JSON object with different member names. A text that cannot be kept has U+FFFD, see ``isWhole(_:)``: a
    /// member that is read is refused then, and a member that nobody reads does no harm.
    static func object(_ bytes: [UInt8], _ part: JWTPart) throws(JWTError) -> JSONObject {
        let json: JSON
        do throws(JSONParseError) {
            json = try JSON.parse(leniently: bytes, limits: .token, refusingDuplicates: true)
        } catch { throw .notJSON(part, error.code) }
        guard let object = json.objectValue else { throw .notAnObject(part) }
        return object
    }

    /// Whether no character of the text was replaced. Two ids that are cut at the same place would else be one id.
    static func isWhole(_ text: String) -> Bool { !text.unicodeScalars.contains("\u{FFFD}") }
}

extension JSONLimits {
    /// The limits of a token. Usual tokens are two or three levels deep. The bytes are limited beforehand, and with them a number that nobody
    /// reads. Numbers that are read have a limit of their own.
    static let token: JSONLimits = {
        var limits = JSONLimits()
        limits.maximumDepth = 16
        limits.maximumNumberLength = JWTVerifier.longestToken
        return limits
    }()

    /// The limits of a set of keys. A text with half a surrogate is null. A member that is read is refused then, because null is no text.
    static let keySet: JSONLimits = {
        var limits = JSONLimits.token
        limits.readsHalfSurrogatesAsNull = true
        return limits
    }()
}
