/// One statement: its text, and the values bound to it.
///
/// `"select id from intent where tenant = \(tenant)"` binds `tenant` as `$1`. A value never becomes part of the text. A part that must be
/// text, such as a table's name, is written `\(unsafe: name)` and must never come from user input. `\(fragment)` or `+` inserts another
/// statement, and renumbers its values.
public struct SQL: Sendable, ExpressibleByStringInterpolation {
    /// The text with `$1`, `$2` … in place of the values.
    public private(set) var text: String
    private(set) var bindings: Bindings
    /// The start of each `$n` in UTF-8 bytes of `text`, which renumbering needs.
    private var placeholders: [Int]

    /// Creates a statement without values from text, unchanged. Never pass user input.
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

        /// Binds a value, which may be null.
        public mutating func appendInterpolation<Value: PostgresEncodable>(_ value: Value) { sql.bind(value) }

        /// Binds a value or null. This separate overload keeps the compiler from taking the optional for a mistake.
        public mutating func appendInterpolation<Value: PostgresEncodable>(_ value: Value?) { sql.bind(value) }

        // Arrays of the common types. With separate overloads, the compiler makes fast code for each, instead of slow code for all.

        public mutating func appendInterpolation(_ values: [String]) { sql.bind(values) }
        public mutating func appendInterpolation(_ values: [String?]) { sql.bind(values) }
        public mutating func appendInterpolation(_ values: [PostgresUUID]) { sql.bind(values) }
        public mutating func appendInterpolation(_ values: [PostgresTimestamp]) { sql.bind(values) }
        public mutating func appendInterpolation(_ values: [Int16]) { sql.bind(values) }

        /// Inserts a fragment with its values.
        public mutating func appendInterpolation(_ fragment: SQL) { sql.append(fragment) }

        /// Inserts text unchanged. Never pass user input.
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

    /// Appends text. A space keeps `$1` apart from a digit that follows, which would otherwise change the number.
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
    /// Joins fragments and renumbers their values.
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
