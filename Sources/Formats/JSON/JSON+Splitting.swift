extension JSON {
    /// Returns the byte ranges of the elements of a top-level array, without reading the elements. Each element can then be parsed alone,
    /// and a broken element does no harm to the others. A missing element (`[1,,2]`, `[1,]`) is an empty range, for which parsing fails.
    ///
    /// Only strings and brackets are followed, in constant memory and at any depth.
    ///
    /// - Throws: an error if the array itself is broken:
    ///   - The array does not begin with `[`, never ends, or has a string that never ends (`notJSON`).
    ///   - Something follows the array (`trailingContent`).
    ///   - The array has more than `maximumElements` or ``JSONLimits/maximumNodes`` elements (`tooManyElements`).
    public static func splitArray(
        _ bytes: UnsafeRawBufferPointer, limits: JSONLimits = .standard, maximumElements: Int
    ) throws(JSONParseError) -> [Range<Int>] {
        let maximumElements = min(maximumElements, limits.maximumNodes)
        guard var index = firstContent(of: bytes, from: 0), bytes[index] == UInt8(ascii: "[") else {
            throw JSONParseError(.notJSON, at: 0, ForeignForm.problem(bytes) ?? "expected an array")
        }
        index += 1
        var elements: [Range<Int>] = []
        var start = index
        var depth = 1
        while index < bytes.count {
            let byte = bytes[index]
            switch byte {
            case UInt8(ascii: "\""):
                index = try endOfString(bytes, from: index)
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                depth += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                depth -= 1
                guard depth == 0 else { break }
                guard byte == UInt8(ascii: "]") else { throw JSONParseError(.notJSON, at: index, "the array ends with a brace") }
                let last = trimmed(bytes, start..<index)
                if !last.isEmpty || !elements.isEmpty { elements.append(last) }
                try refuse(elements.count > maximumElements, maximumElements, at: index)
                if let next = firstContent(of: bytes, from: index + 1) {
                    throw JSONParseError(.trailingContent, at: next, "something follows the end of the array")
                }
                return elements
            case UInt8(ascii: ",") where depth == 1:
                elements.append(trimmed(bytes, start..<index))
                start = index + 1
                // Count the element after this comma too, so that the limit is found before the end.
                try refuse(elements.count >= maximumElements, maximumElements, at: index)
            default: break
            }
            index += 1
        }
        throw JSONParseError(.notJSON, at: bytes.count, "the array ends too early")
    }

    /// See ``splitArray(_:limits:maximumElements:)-(UnsafeRawBufferPointer,_,_)``. The ranges count from the first byte.
    public static func splitArray(
        _ bytes: [UInt8], limits: JSONLimits = .standard, maximumElements: Int
    ) throws(JSONParseError) -> [Range<Int>] {
        try bytes.withUnsafeBufferPointer { buffer throws(JSONParseError) in
            try splitArray(UnsafeRawBufferPointer(buffer), limits: limits, maximumElements: maximumElements)
        }
    }

    private static func refuse(_ tooMany: Bool, _ maximum: Int, at offset: Int) throws(JSONParseError) {
        if tooMany { throw JSONParseError(.tooManyElements, at: offset, "the array has more than \(maximum) elements") }
    }

    /// Returns the place where the string that opens at `opening` closes.
    private static func endOfString(_ bytes: UnsafeRawBufferPointer, from opening: Int) throws(JSONParseError) -> Int {
        var index = opening + 1
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""): return index
            case UInt8(ascii: "\\"): index += 2
            default: index += 1
            }
        }
        throw JSONParseError(.notJSON, at: opening, "a string never ends")
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

    private static func firstContent(of bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        var index = start
        while index < bytes.count {
            if !isSpace(bytes[index]) { return index }
            index += 1
        }
        return nil
    }

    private static func trimmed(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Range<Int> {
        var (low, high) = (range.lowerBound, range.upperBound)
        while low < high, isSpace(bytes[low]) { low += 1 }
        while low < high, isSpace(bytes[high - 1]) { high -= 1 }
        return low..<high
    }
}
