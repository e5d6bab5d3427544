@testable import TidingsJSON

/// What several readers promise of what they say.
enum Properties {
    /// RFC 6901: empty, or segments that each begin with a slash, with every tilde followed by 0 or 1.
    static func requirePointer(_ pointer: String) throws {
        guard !pointer.isEmpty else { return }
        try require(pointer.utf8.first == UInt8(ascii: "/"), "\"\(pointer)\" is no JSON Pointer")
        var isAfterTilde = false
        for byte in pointer.utf8 {
            if isAfterTilde {
                try require(byte == UInt8(ascii: "0") || byte == UInt8(ascii: "1"), "\"\(pointer)\" has a tilde that escapes nothing")
            }
            isAfterTilde = byte == UInt8(ascii: "~")
        }
        try require(!isAfterTilde, "\"\(pointer)\" ends in a tilde")
    }

    /// One sentence: there is one, it is no longer than a reader bears, and it cannot move a terminal's cursor.
    static func requireSentence(_ text: String, atMost bytes: Int) throws {
        try require(!text.isEmpty, "no message")
        try require(text.utf8.count <= bytes, "a message of \(text.utf8.count) bytes")
        try require(text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }, "a message with a control character")
    }
}
