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

    /// See ``parse(_:limits:)-(UnsafeRawBufferPointer,_)``.
    public static func parse(_ text: String, limits: JSONLimits = .standard) throws(JSONParseError) -> JSON {
        try parse(Array(text.utf8), limits: limits)
    }
}
