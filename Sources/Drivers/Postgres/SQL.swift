/// One statement: its text, and the values bound to it.
///
/// `"select id from intent where tenant = \(tenant)"` binds `tenant` as `$1`; a value never becomes text of the statement. What must be
/// text, a table's name for example, is spelled `\(unsafe: name)` and must never come from input. A fragment goes into another with
/// `\(fragment)` or `+`, and its values are renumbered.
public struct SQL: Sendable, ExpressibleByStringInterpolation {
    /// The text with `$1`, `$2` … for the values.
    public private(set) var text: String
    private(set) var bindings: Bindings
    /// Where each `$n` starts, in UTF-8 bytes of `text`; needed to renumber.
    private var placeholders: [Int]

    /// Takes text as it is, without values. Never pass input.
    public init(unsafeSQL text: String) {
        self.text = text
        bindings = Bindings()
        placeholders = []
    }

    public init(stringLiteral text: String) { self.init(unsafeSQL: text) }

    public init(stringInterpolation: Interpolation) { self = stringInterpolation.sql }

    public struct Interpolation: StringInterpolationProtocol, Sendable {
        fileprivate var sql = SQL(unsafeSQL: "")

        public init(literalCapacity: Int, interpolationCount: Int) {
            sql.text.reserveCapacity(literalCapacity + 4 * interpolationCount)
        }

        public mutating func appendLiteral(_ literal: String) { sql.append(text: literal) }

        /// Binds a value, null included.
        public mutating func appendInterpolation<Value: PostgresEncodable>(_ value: Value) { sql.bind(value) }

        /// Binds a value, or null. Spelled out so that the compiler does not take the optional for an oversight.
        public mutating func appendInterpolation<Value: PostgresEncodable>(_ value: Value?) { sql.bind(value) }

        // Columns of the common types, spelled out so that the compiler makes fast code for each instead of one slow for all.

        public mutating func appendInterpolation(_ values: [String]) { sql.bind(values) }
        public mutating func appendInterpolation(_ values: [String?]) { sql.bind(values) }
        public mutating func appendInterpolation(_ values: [PostgresUUID]) { sql.bind(values) }
        public mutating func appendInterpolation(_ values: [PostgresTimestamp]) { sql.bind(values) }
        public mutating func appendInterpolation(_ values: [Int16]) { sql.bind(values) }

        /// Puts a fragment in, with its values.
        public mutating func appendInterpolation(_ fragment: SQL) { sql.append(fragment) }

        /// Puts text in as it is. Never pass input.
        public mutating func appendInterpolation(unsafe text: String) { sql.append(text: text) }
    }

    public static func + (left: SQL, right: SQL) -> SQL {
        var whole = left
        whole.append(right)
        return whole
    }

    public static func += (left: inout SQL, right: SQL) { left.append(right) }

    private mutating func bind(_ value: some PostgresEncodable) {
        bindings.append(value)
        placeholders.append(text.utf8.count)
        text += "$\(bindings.count)"
    }

    private mutating func append(text addition: Substring) { append(text: String(addition)) }

    /// Keeps `$1` apart from a digit that follows it, which would make another number of it.
    private mutating func append(text addition: String) {
        if let first = addition.utf8.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first), endsInPlaceholder { text += " " }
        text += addition
    }

    private var endsInPlaceholder: Bool {
        guard let last = placeholders.last else { return false }
        return last + Self.length(ofPlaceholder: placeholders.count) == text.utf8.count
    }

    private mutating func append(_ fragment: SQL) {
        var rest = fragment.text[...]
        var consumed = 0
        for (index, offset) in fragment.placeholders.enumerated() {
            append(text: Self.takeFirst(offset - consumed, of: &rest))
            placeholders.append(text.utf8.count)
            text += "$\(placeholders.count)"
            let length = Self.length(ofPlaceholder: index + 1)
            _ = Self.takeFirst(length, of: &rest)
            consumed = offset + length
        }
        append(text: rest)
        bindings.append(fragment.bindings)
    }

    private static func takeFirst(_ count: Int, of text: inout Substring) -> Substring {
        let end = text.utf8.index(text.utf8.startIndex, offsetBy: count)
        defer { text = text[end...] }
        return text[..<end]
    }

    private static func length(ofPlaceholder number: Int) -> Int {
        var length = 2
        var rest = number
        while rest >= 10 {
            rest /= 10
            length += 1
        }
        return length
    }
}

extension SQL: CustomStringConvertible {
    /// The text without the values, which may be personal data.
    public var description: String { text }
}

extension Sequence<SQL> {
    /// Joins fragments, renumbering their values.
    public func joined(separator: SQL) -> SQL {
        var whole: SQL = ""
        var isFirst = true
        for fragment in self {
            if !isFirst { whole += separator }
            whole += fragment
            isFirst = false
        }
        return whole
    }
}
