/// Text that is written in a JSON string without change: no quote, backslash or control character.
enum PlainText {
    /// Returns the first place at or after `start` whose byte is not plain, or `limit`. Reads eight bytes at a time. `isASCII` is true only
    /// when every byte before that place is ASCII.
    @inline(__always)
    static func end(in base: UnsafePointer<UInt8>, from start: Int, to limit: Int) -> (end: Int, isASCII: Bool) {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs: UInt64 = 0x8080_8080_8080_8080
        let raw = UnsafeRawPointer(base)
        var index = start
        var seen: UInt64 = 0
        while index + 8 <= limit {
            let word = raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            let quotes = word ^ (ones &* 0x22)
            let backslashes = word ^ (ones &* 0x5C)
            // A byte's high bit is set if the subtraction made the byte borrow: the byte was zero, or below 0x20.
            let found = ((quotes &- ones) & ~quotes) | ((backslashes &- ones) & ~backslashes) | ((word &- ones &* 0x20) & ~word)
            if found & highs != 0 { break }
            seen |= word
            index += 8
        }
        while index < limit {
            let byte = base[index]
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20 { break }
            seen |= UInt64(byte)
            index += 1
        }
        return (index, seen & highs == 0)
    }
}
