/// Questions about single bytes of ASCII.
enum ASCII {
    static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") <= 9 }
    static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- UInt8(ascii: "a") < 26 }
    static func isLetterOrDigit(_ byte: UInt8) -> Bool { isLetter(byte) || isDigit(byte) }
    static func isHexDigit(_ byte: UInt8) -> Bool { hexDigitValue(byte) != nil }
}
