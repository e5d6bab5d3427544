import TidingsEncodings

extension JSONParser {
    /// Reads a string from its opening quote. The usual string has no escapes and is read in one piece.
    mutating func string() throws(JSONParseError) -> String {
        let opening = index
        let start = index + 1
        let plain = PlainText.end(in: base, from: start, to: end)
        index = plain.end
        guard index < end else { throw unexpectedEnd() }
        guard base[index] == UInt8(ascii: "\"") else { return try escapedString(opening: opening, start: start) }
        index += 1
        let bytes = UnsafeBufferPointer(start: base + start, count: plain.end - start)
        // Skip the validation for ASCII, which needs none: decoding it is several times faster.
        return plain.isASCII ? String(decoding: bytes, as: UTF8.self) : try wellFormed(bytes, from: start)
    }

    /// Reads a string of a document whose texts with half a surrogate are null.
    mutating func stringOrNull() throws(JSONParseError) -> JSON {
        let before = replacedSurrogates
        let text = try string()
        return replacedSurrogates == before ? .string(text) : .null
    }

    private mutating func escapedString(opening: Int, start: Int) throws(JSONParseError) -> String {
        var bytes: [UInt8] = []
        var plainStart = start
        while true {
            guard index < end else { throw unexpectedEnd() }
            let byte = base[index]
            if byte < 0x20, !isLenient { throw rawControl(byte) }
            bytes.append(contentsOf: UnsafeBufferPointer(start: base + plainStart, count: index - plainStart))
            index += 1
            if byte == UInt8(ascii: "\"") { break }
            if byte == UInt8(ascii: "\\") { try escape(into: &bytes) } else { keep(byte, in: &bytes) }
            plainStart = index
            index = PlainText.end(in: base, from: index, to: end).end
        }
        // Validate the whole string. The escapes add only well-formed bytes, so an error lies in the raw bytes.
        return try bytes.withUnsafeBufferPointer { buffer throws(JSONParseError) in try wellFormed(buffer, from: opening) }
    }

    /// Keeps a byte of a lenient document as it is. U+0000 is replaced.
    private func keep(_ byte: UInt8, in bytes: inout [UInt8]) {
        if byte == 0 { Self.appendReplacement(to: &bytes) } else { bytes.append(byte) }
    }

    private static func appendReplacement(to bytes: inout [UInt8]) { bytes.append(contentsOf: "\u{FFFD}".utf8) }

    private func rawControl(_ byte: UInt8) -> JSONParseError {
        byte == 0
            ? JSONParseError(.nulCharacter, at: index, "a string contains a NUL byte")
            : JSONParseError(.notJSON, at: index, "a string contains an unescaped control character")
    }

    /// Reads the part of an escape after the backslash.
    private mutating func escape(into bytes: inout [UInt8]) throws(JSONParseError) {
        guard index < end else { throw unexpectedEnd() }
        let byte = base[index]
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): bytes.append(byte)
        case UInt8(ascii: "b"): bytes.append(0x08)
        case UInt8(ascii: "f"): bytes.append(0x0C)
        case UInt8(ascii: "n"): bytes.append(0x0A)
        case UInt8(ascii: "r"): bytes.append(0x0D)
        case UInt8(ascii: "t"): bytes.append(0x09)
        case UInt8(ascii: "u"): try unicodeEscape(into: &bytes)
        case _ where isLenient: keep(byte, in: &bytes)
        default: throw JSONParseError(.notJSON, at: index - 1, "a backslash is followed by a character that is no escape")
        }
    }

    private mutating func unicodeEscape(into bytes: inout [UInt8]) throws(JSONParseError) {
        let start = index - 2
        guard var code = try hexQuad() else { return Self.appendReplacement(to: &bytes) }
        if code == 0, !limits.allowsNulCharacter {
            guard isLenient else { throw JSONParseError(.nulCharacter, at: start, "a string contains the escape of U+0000") }
            return Self.appendReplacement(to: &bytes)
        }
        if 0xD800...0xDBFF ~= code {
            // The bytes after a half surrogate may be an escape of its own.
            let next = index
            guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")), let low = try hexQuad(), 0xDC00...0xDFFF ~= low else {
                try replaceHalfSurrogate(start, in: &bytes)
                index = next
                return
            }
            code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = UnicodeScalar(code) else { return try replaceHalfSurrogate(start, in: &bytes) }
        bytes.append(contentsOf: scalar.utf8)
    }

    private mutating func replaceHalfSurrogate(_ offset: Int, in bytes: inout [UInt8]) throws(JSONParseError) {
        guard isLenient || limits.readsHalfSurrogatesAsNull else {
            throw JSONParseError(.invalidUTF8, at: offset, "an escape names half of a surrogate pair")
        }
        replacedSurrogates += 1
        Self.appendReplacement(to: &bytes)
    }

    /// Nil if a lenient document has fewer than four digits.
    private mutating func hexQuad() throws(JSONParseError) -> UInt32? {
        guard end - index >= 4 || isLenient else { throw unexpectedEnd() }
        var code: UInt32 = 0
        for _ in 0..<4 {
            guard index < end, let digit = hexDigitValue(base[index]) else {
                if isLenient { return nil }
                throw JSONParseError(.notJSON, at: index, "\\u is not followed by four hexadecimal digits")
            }
            code = code << 4 | UInt32(digit)
            index += 1
        }
        return code
    }

    private func wellFormed(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) throws(JSONParseError) -> String {
        if isLenient { return String(decoding: bytes, as: UTF8.self) }
        do throws(UTF8.ValidationError) {
            return String(copying: try UTF8Span(validating: bytes.span))
        } catch {
            throw JSONParseError(.invalidUTF8, at: min(start + error.byteOffsets.lowerBound, end), "a string is not well-formed UTF-8")
        }
    }
}
