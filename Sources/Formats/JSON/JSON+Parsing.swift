extension JSON {
    /// Reads exactly one document, strictly by RFC 8259.
    ///
    /// Duplicate names, malformed UTF-8, half surrogates, U+0000, leading zeros and anything after the document are refused. Each has its
    /// own code. Every nesting, even of a million levels, ends in an error and never in a crash.
    public static func parse(_ bytes: UnsafeRawBufferPointer, limits: JSONLimits = .standard) throws(JSONParseError) -> JSON {
        guard let start = bytes.baseAddress, bytes.count > 0 else {
            throw JSONParseError(.notJSON, at: 0, "the document is empty")
        }
        var parser = JSONParser(base: start.assumingMemoryBound(to: UInt8.self), count: bytes.count, limits: limits)
        return try parser.document()
    }

    /// See ``parse(_:limits:)-(UnsafeRawBufferPointer,_)``.
    public static func parse(_ bytes: [UInt8], limits: JSONLimits = .standard) throws(JSONParseError) -> JSON {
        try bytes.withUnsafeBufferPointer { buffer throws(JSONParseError) in try parse(UnsafeRawBufferPointer(buffer), limits: limits) }
    }

    /// See ``parse(_:limits:)-(UnsafeRawBufferPointer,_)``.
    public static func parse(_ bytes: ArraySlice<UInt8>, limits: JSONLimits = .standard) throws(JSONParseError) -> JSON {
        try bytes.withUnsafeBufferPointer { buffer throws(JSONParseError) in try parse(UnsafeRawBufferPointer(buffer), limits: limits) }
    }

    /// Reads one document of another system: an answer of a provider, a report, a set of keys. A text that nobody reads must not cost the
    /// texts beside it, so the document may have:
    ///
    /// - Texts that cannot be kept. A half surrogate, malformed UTF-8 and U+0000 become U+FFFD, the replacement character. A reader that
    ///   recognises a name, a word or an id finds none in such a text. A reader of explanations finds the rest of it.
    /// - Control characters in a text, and a backslash before a character that needs none.
    /// - A byte order mark at the beginning (RFC 8259 section 8.1).
    /// - `NaN` and `Infinity`, which Python and other writers use for numbers. Each is null.
    /// - A member name twice: the last one counts, as in JavaScript, Python and Go.
    ///
    /// Everything else is refused as by ``parse(_:limits:)-([UInt8],_)``, and the limits are the same.
    ///
    /// - Parameter refusingDuplicates: whether a member name twice is refused after all. Set it if two readers of one document must never
    ///   differ.
    public static func parse(
        leniently bytes: [UInt8], limits: JSONLimits = .standard, refusingDuplicates: Bool = false
    ) throws(JSONParseError) -> JSON {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let start = bytes.starts(with: mark) ? mark.count : 0
        return try bytes.withUnsafeBufferPointer { buffer throws(JSONParseError) in
            guard let base = buffer.baseAddress, buffer.count > start else {
                throw JSONParseError(.notJSON, at: 0, "the document is empty")
            }
            let rules: JSONParser.Rules = refusingDuplicates ? .lenientTexts : .lenient
            var parser = JSONParser(base: base + start, count: buffer.count - start, limits: limits, rules: rules)
            return try parser.document()
        }
    }

    /// See ``parse(_:limits:)-(UnsafeRawBufferPointer,_)``.
    public static func parse(_ text: String, limits: JSONLimits = .standard) throws(JSONParseError) -> JSON {
        try parse(Array(text.utf8), limits: limits)
    }
}
