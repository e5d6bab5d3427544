@testable import TidingsJSON

/// Properties of texts that several readers promise.
enum Properties {
    /// Checks the form of RFC 6901: an empty text, or segments that each begin with a slash. Each tilde is followed by 0 or 1.
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

    /// Checks that there is a message, that it has at most `bytes` bytes, and that it cannot move a terminal's cursor.
    static func requireSentence(_ text: String, atMost bytes: Int) throws {
        try require(!text.isEmpty, "no message")
        try require(text.utf8.count <= bytes, "a message of \(text.utf8.count) bytes")
        try require(text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }, "a message with a control character")
    }
}
