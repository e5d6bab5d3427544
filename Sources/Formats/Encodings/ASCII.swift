/// Checks of single ASCII bytes.
package enum ASCII {
    @inlinable package static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") <= 9 }
    @inlinable package static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- UInt8(ascii: "a") < 26 }
    @inlinable package static func isLetterOrDigit(_ byte: UInt8) -> Bool { isLetter(byte) || isDigit(byte) }
    @inlinable package static func isHexDigit(_ byte: UInt8) -> Bool { hexDigitValue(byte) != nil }
}

extension Substring {
    /// The text without spaces and tabs at both ends.
    package var trimmingBlanks: Substring {
        func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        guard let first = utf8.firstIndex(where: { !isBlank($0) }), let last = utf8.lastIndex(where: { !isBlank($0) }) else { return "" }
        return self[first...last]
    }
}
