/// Reads ECMA-262 pattern syntax (section 22.2.1, with the `u` flag). An escape of ASCII punctuation means that character.
struct PatternParser {
    private let scalars: [UnicodeScalar]
    private var index = 0
    private var depth = 0

    /// The deepest nesting of groups. No person writes a deeper pattern.
    private static let maximumDepth = 32
    /// The largest count in braces. A repetition is written out, and ``PatternCompiler`` bounds the whole.
    private static let maximumCount = 2_000

    init(_ source: String) { scalars = Array(source.unicodeScalars) }

    mutating func pattern() throws(PatternError) -> PatternTree {
        let tree = try choice()
        if index < scalars.count { throw PatternError("has a closing parenthesis without an opening one") }
        return tree
    }

    private mutating func choice() throws(PatternError) -> PatternTree {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.maximumDepth else { throw PatternError("nests groups deeper than \(Self.maximumDepth)") }
        var parts = [try sequence()]
        while take("|") { parts.append(try sequence()) }
        return parts.count == 1 ? parts[0] : .choice(parts)
    }

    private mutating func sequence() throws(PatternError) -> PatternTree {
        var parts: [PatternTree] = []
        while let scalar = peek, scalar != "|", scalar != ")" {
            let (part, isRepeatable) = try term()
            parts.append(try quantified(part, isRepeatable))
        }
        return parts.count == 1 ? parts[0] : .sequence(parts)
    }

    private mutating func term() throws(PatternError) -> (PatternTree, isRepeatable: Bool) {
        let scalar = scalars[index]
        index += 1
        switch scalar {
        case "^": return (.start, false)
        case "$": return (.end, false)
        case ".": return (.set(.anyButLineEnds), true)
        case "(": return (try group(), true)
        case "[": return (.set(try characterClass()), true)
        case "\\":
            if take("b") { return (.boundary(true), false) }
            if take("B") { return (.boundary(false), false) }
            switch try escape(inClass: false) {
            case .scalar(let value): return (.scalar(value), true)
            case .set(let set): return (.set(set), true)
            }
        case "*", "+", "?": throw PatternError("repeats nothing with \(scalar)")
        case "{", "}", "]": throw PatternError("has a \(scalar) that must be written \\\(scalar)")
        default: return (.scalar(scalar.value), true)
        }
    }

    private mutating func group() throws(PatternError) -> PatternTree {
        if take("?") {
            if take("<") {
                if peek == "=" || peek == "!" { throw PatternError("uses look-behind") }
                while let scalar = peek, scalar != ">" {
                    guard scalar.properties.isAlphabetic || scalar.properties.numericType != nil || scalar == "_" else { break }
                    index += 1
                }
                guard take(">") else { throw PatternError("has a malformed group name") }
            } else if peek == "=" || peek == "!" {
                throw PatternError("uses look-ahead")
            } else if !take(":") {
                throw PatternError("has an unknown kind of group")
            }
        }
        let tree = try choice()
        guard take(")") else { throw PatternError("has a group that never ends") }
        return tree
    }

    // MARK: - Repetition

    private mutating func quantified(_ part: PatternTree, _ isRepeatable: Bool) throws(PatternError) -> PatternTree {
        var (least, most): (Int, Int?) = (0, nil)
        switch peek {
        case "*": index += 1
        case "+":
            index += 1
            least = 1
        case "?":
            index += 1
            most = 1
        case "{":
            index += 1
            (least, most) = try counts()
        default: return part
        }
        guard isRepeatable else { throw PatternError("repeats an assertion") }
        // Ignore a lazy quantifier: lazy and greedy differ only in the matched part, not in the answer whether there is a match.
        _ = take("?")
        return .repetition(part, least: least, most: most)
    }

    private mutating func counts() throws(PatternError) -> (Int, Int?) {
        let least = try count()
        var most: Int? = least
        if take(",") { most = peek == "}" ? nil : try count() }
        guard take("}") else { throw PatternError("has a malformed repetition count") }
        if let most, most < least { throw PatternError("has a repetition count whose end is below its beginning") }
        return (least, most)
    }

    private mutating func count() throws(PatternError) -> Int {
        var value = 0
        let first = index
        while let scalar = peek, let digit = ScalarSet.decimalValue(scalar) {
            value = value * 10 + digit
            guard value <= Self.maximumCount else { throw PatternError("has a repetition count above \(Self.maximumCount)") }
            index += 1
        }
        if index == first { throw PatternError("has a malformed repetition count") }
        return value
    }

    // MARK: - Cursor

    var peek: UnicodeScalar? { index < scalars.count ? scalars[index] : nil }

    mutating func take(_ scalar: UnicodeScalar) -> Bool {
        guard peek == scalar else { return false }
        index += 1
        return true
    }

    mutating func next() throws(PatternError) -> UnicodeScalar {
        guard let scalar = peek else { throw PatternError("ends too early") }
        index += 1
        return scalar
    }
}
