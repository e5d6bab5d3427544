/// The `traceparent` of W3C Trace Context, which ties an intent to the request that caused it.
public enum TraceParent {
    /// Returns a valid value in the form of version 00. Returns nil for an invalid value, which must then be ignored (Trace Context section
    /// 3.2).
    ///
    /// A value of an unknown version is read by its first 55 characters, which every version shares. Invalid are version `ff`, a trace id
    /// or a parent id of zeros only, and upper-case digits.
    public static func validated(_ text: String) -> String? {
        var text = text
        let found = text.withUTF8 { version(of: $0) }
        guard let version = found else { return nil }
        return version == 0 ? text : "00" + String(decoding: text.utf8.dropFirst(2).prefix(length - 2), as: UTF8.self)
    }

    private static let length = 55
    private static let separator = UInt8(ascii: "-")

    /// Returns the version of a well-formed value. Nil for any other value.
    private static func version(of bytes: UnsafeBufferPointer<UInt8>) -> UInt8? {
        guard bytes.count >= length, let version = octet(bytes[0], bytes[1]), version != 0xFF,
            bytes.count == length || (version != 0 && bytes[length] == separator),
            bytes[2] == separator, bytes[35] == separator, bytes[52] == separator,
            isIdentifier(bytes[3..<35]), isIdentifier(bytes[36..<52]), octet(bytes[53], bytes[54]) != nil
        else { return nil }
        return version
    }

    /// Whether the bytes are hexadecimal digits of which at least one is not zero.
    private static func isIdentifier(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        var hasValue = false
        for byte in bytes {
            guard let digit = digit(byte) else { return false }
            if digit != 0 { hasValue = true }
        }
        return hasValue
    }

    private static func octet(_ high: UInt8, _ low: UInt8) -> UInt8? {
        guard let high = digit(high), let low = digit(low) else { return nil }
        return high << 4 | low
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
