/// A reader of RFC 8259 over bytes in memory. It reads in one pass, recurses once a level, and is bounded by ``JSONLimits``.
struct JSONParser {
    /// The rules for a document that does not follow RFC 8259, or that readers disagree about.
    enum Rules {
        case strict
        /// See ``JSON/parse(leniently:limits:refusingDuplicates:)``.
        case lenient
        /// Lenient, and a member name twice is refused.
        case lenientTexts
    }

    let base: UnsafePointer<UInt8>
    let end: Int
    let limits: JSONLimits
    let isLenient: Bool
    private let keepsLastOfEqualNames: Bool
    private let deepest: Int
    var index = 0
    /// The number of half surrogates so far that were replaced.
    var replacedSurrogates = 0
    private var nodes = 0

    init(base: UnsafePointer<UInt8>, count: Int, limits: JSONLimits, rules: Rules = .strict) {
        self.base = base
        self.end = count
        self.limits = limits
        isLenient = rules != .strict
        keepsLastOfEqualNames = rules == .lenient
        deepest = limits.effectiveDepth
    }

    /// Reads the whole input as one document.
    mutating func document() throws(JSONParseError) -> JSON {
        skipSpace()
        let result = try value(depth: 0)
        skipSpace()
        if index < end { throw JSONParseError(.trailingContent, at: index, "something follows the end of the document") }
        return result
    }

    private mutating func value(depth: Int) throws(JSONParseError) -> JSON {
        nodes += 1
        if nodes > limits.maximumNodes {
            throw JSONParseError(.tooManyNodes, at: index, "the document has more than \(limits.maximumNodes) values")
        }
        guard index < end else { throw unexpectedEnd() }
        switch base[index] {
        case UInt8(ascii: "\""): return limits.readsHalfSurrogatesAsNull ? try stringOrNull() : .string(try string())
        case UInt8(ascii: "{"): return try object(depth: depth + 1)
        case UInt8(ascii: "["): return try array(depth: depth + 1)
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try isNegativeInfinity() ? .null : .number(number())
        case UInt8(ascii: "N") where isLenient: return try literal("NaN", .null)
        case UInt8(ascii: "I") where isLenient: return try literal("Infinity", .null)
        default: throw unexpectedByte("a value")
        }
    }

    private mutating func object(depth: Int) throws(JSONParseError) -> JSON {
        try refuse(depth: depth)
        index += 1
        skipSpace()
        if take(UInt8(ascii: "}")) { return .object(JSONObject()) }
        var members = MemberNames()
        var hasDuplicates = false
        var entries: [JSONObject.Entry] = []
        entries.reserveCapacity(Self.usualMembers)
        while true {
            guard index < end else { throw unexpectedEnd() }
            guard base[index] == UInt8(ascii: "\"") else { throw unexpectedByte("a member name in double quotes") }
            let start = index
            let key = try string()
            if members.isKnown(key, among: entries) {
                guard keepsLastOfEqualNames else {
                    throw JSONParseError(.duplicateKey, at: start, "the member name occurs twice in one object").inside(key)
                }
                hasDuplicates = true
            }
            skipSpace()
            guard take(UInt8(ascii: ":")) else { throw unexpectedByte("a colon") }
            skipSpace()
            do throws(JSONParseError) {
                entries.append(JSONObject.Entry(key: key, value: try value(depth: depth)))
            } catch {
                throw error.inside(key)
            }
            skipSpace()
            if take(UInt8(ascii: "}")) {
                return .object(JSONObject(uniqueEntries: hasDuplicates ? MemberNames.lastOfEach(in: entries) : entries))
            }
            guard take(UInt8(ascii: ",")) else { throw unexpectedByte("a comma or the object's end") }
            skipSpace()
        }
    }

    private mutating func array(depth: Int) throws(JSONParseError) -> JSON {
        try refuse(depth: depth)
        index += 1
        skipSpace()
        if take(UInt8(ascii: "]")) { return .array([]) }
        var elements: [JSON] = []
        while true {
            do throws(JSONParseError) {
                elements.append(try value(depth: depth))
            } catch {
                throw error.inside(String(elements.count))
            }
            skipSpace()
            if take(UInt8(ascii: "]")) { return .array(elements) }
            guard take(UInt8(ascii: ",")) else { throw unexpectedByte("a comma or the array's end") }
            skipSpace()
        }
    }

    /// The room for the members of a usual object, so that filling it allocates once.
    private static let usualMembers = 6

    private func refuse(depth: Int) throws(JSONParseError) {
        if depth > deepest { throw JSONParseError(.tooDeep, at: index, "nested deeper than \(deepest) levels") }
    }

    private mutating func literal(_ word: StaticString, _ value: JSON) throws(JSONParseError) -> JSON {
        let length = word.utf8CodeUnitCount
        guard end - index >= length else { throw unexpectedEnd() }
        for place in 0..<length where base[index + place] != word.utf8Start[place] { throw unexpectedByte("a value") }
        index += length
        return value
    }

    /// Skips the `-Infinity` of a lenient document.
    private mutating func isNegativeInfinity() throws(JSONParseError) -> Bool {
        guard isLenient, base[index] == UInt8(ascii: "-"), index + 1 < end, base[index + 1] == UInt8(ascii: "I") else { return false }
        index += 1
        _ = try literal("Infinity", .null)
        return true
    }

    private mutating func number() throws(JSONParseError) -> JSONNumber {
        let start = index
        _ = take(UInt8(ascii: "-"))
        if take(UInt8(ascii: "0")) {
            if index < end, isDigit(base[index]) {
                throw JSONParseError(.notJSON, at: start, "a number has a leading zero")
            }
        } else {
            try digits()
        }
        if take(UInt8(ascii: ".")) { try digits() }
        if index < end, base[index] | 0x20 == UInt8(ascii: "e") {
            index += 1
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            try digits()
        }
        if index - start > limits.maximumNumberLength {
            throw JSONParseError(.numberTooLong, at: start, "a number is longer than \(limits.maximumNumberLength) characters")
        }
        return JSONNumber(verifiedText: String(decoding: UnsafeBufferPointer(start: base + start, count: index - start), as: UTF8.self))
    }

    private mutating func digits() throws(JSONParseError) {
        let start = index
        while index < end, isDigit(base[index]) { index += 1 }
        if index == start { throw index < end ? unexpectedByte("a digit") : unexpectedEnd() }
    }

    @inline(__always)
    private func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") <= 9 }

    @inline(__always)
    mutating func take(_ byte: UInt8) -> Bool {
        guard index < end, base[index] == byte else { return false }
        index += 1
        return true
    }

    @inline(__always)
    private mutating func skipSpace() {
        while index < end {
            switch base[index] {
            case 0x20, 0x0A, 0x0D, 0x09: index += 1
            default: return
            }
        }
    }

    func unexpectedEnd() -> JSONParseError {
        JSONParseError(.notJSON, at: end, end == 0 ? "the document is empty" : "the document ends too early")
    }

    private func unexpectedByte(_ wanted: String) -> JSONParseError {
        guard index < end else { return unexpectedEnd() }
        if base[index] == 0 {
            // In UTF-16 and UTF-32, one of the first two bytes of a bracket or quotation mark is zero.
            let cause = index < 2 ? "; is the document UTF-16 or UTF-32? it must be UTF-8" : ""
            return JSONParseError(.nulCharacter, at: index, "a NUL byte where \(wanted) belongs\(cause)")
        }
        if index == 0, let problem = ForeignForm.problem(UnsafeRawBufferPointer(start: base, count: end)) {
            return JSONParseError(.notJSON, at: 0, problem)
        }
        if index == 0, base[0] == 0xEF || base[0] == 0xFE || base[0] == 0xFF {
            return JSONParseError(.notJSON, at: 0, "the document starts with a byte order mark or is not UTF-8")
        }
        return JSONParseError(.notJSON, at: index, "expected \(wanted)")
    }
}

/// The member names that an object has so far. Few names are scanned, many are kept in a set, so that no object costs the square of its
/// size.
private struct MemberNames {
    private static let scanLimit = 16
    private var set: Set<ExactText> = []

    mutating func isKnown(_ key: String, among entries: [JSONObject.Entry]) -> Bool {
        if entries.count < Self.scanLimit {
            for entry in entries where isSameText(entry.key, key) { return true }
            return false
        }
        if set.isEmpty { set = Set(entries.map { ExactText($0.key) }) }
        return !set.insert(ExactText(key)).inserted
    }

    /// The members without those that a later member of the same name replaces.
    static func lastOfEach(in entries: [JSONObject.Entry]) -> [JSONObject.Entry] {
        var seen: Set<ExactText> = []
        return entries.reversed().filter { seen.insert(ExactText($0.key)).inserted }.reversed()
    }
}
