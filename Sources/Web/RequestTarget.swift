import TidingsEncodings

/// The path and query of a request, decoded. Delimiters are bytes: a combining mark after one does not join it.
package struct RequestTarget: Sendable {
    /// The segments of the path. `/a/b` has `a` and `b`. A path with an empty segment has it here too, and matches no operation.
    package let segments: [String]
    /// The parameters of the query, in their order.
    package let query: [(name: String, value: String)]

    /// Nil if the path does not begin with `/`, if an escape is broken, or if decoded bytes are no UTF-8 or hold a NUL.
    package init?(path: Substring, query: Substring?) {
        guard path.utf8.first == UInt8(ascii: "/") else { return nil }
        var segments: [String] = []
        for segment in path.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            guard let decoded = Self.decoded(segment, plusIsSpace: false) else { return nil }
            segments.append(decoded)
        }
        var parameters: [(String, String)] = []
        for pair in (query ?? "").utf8.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decoded(parts[0], plusIsSpace: true),
                let value = Self.decoded(parts.count > 1 ? parts[1] : "".utf8[...], plusIsSpace: true)
            else { return nil }
            parameters.append((name, value))
        }
        self.segments = segments
        self.query = parameters
    }

    private static func decoded(_ text: Substring.UTF8View, plusIsSpace: Bool) -> String? {
        var bytes: [UInt8] = []
        var rest = text[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(hexDigitValue), let low = rest.popFirst().flatMap(hexDigitValue) else {
                    return nil
                }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
            default: bytes.append(byte)
            }
        }
        guard !bytes.contains(0) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}

/// Reads the parameters of a query. Every fault is collected, so that the caller learns all of them at once, up to
/// ``Problem/mostFaults``.
package struct QueryReader: Sendable {
    private var values: [String: String] = [:]
    package private(set) var faults: [Problem.Field] = []

    /// - Parameters:
    ///   - known: the parameters of the operation.
    ///   - refusingOthers: whether any other parameter is a fault. If not, it is ignored.
    package init(_ target: RequestTarget, known: [String], refusingOthers: Bool) {
        for (name, value) in target.query {
            if known.contains(where: { $0.utf8.elementsEqual(name.utf8) }) {
                if values.updateValue(value, forKey: name) != nil { refuse(name, "is given twice") }
            } else if refusingOthers {
                refuse(String(name.prefix(Self.longestName)), Problem.unknown("parameter", name, among: known))
            }
        }
    }

    /// The most characters of an unknown name that an answer repeats.
    private static let longestName = 100

    package func text(_ name: String) -> String? { values[name] }

    /// A text of at most `limit` characters as JSON Schema counts them, which are Unicode scalars.
    package mutating func text(_ name: String, atMost limit: Int) -> String? {
        guard let text = values[name] else { return nil }
        guard text.unicodeScalars.count <= limit else {
            refuse(name, "has more than \(limit) characters")
            return nil
        }
        return text
    }

    /// An integer in a range. Above `cap`, if there is one, the value is `cap`.
    package mutating func integer(_ name: String, in range: ClosedRange<Int>, cap: Int? = nil) -> Int? {
        guard let text = values[name] else { return nil }
        let isDigits = !text.isEmpty && text.utf8.allSatisfy(ASCII.isDigit)
        // More digits than an integer has: the value is above every cap.
        guard let value = isDigits ? (Int(text) ?? .max) : nil else {
            refuse(name, "is not a whole number without a sign")
            return nil
        }
        let capped = cap.map { min(value, $0) } ?? value
        guard range.contains(capped) else {
            refuse(name, "is not between \(range.lowerBound) and \(range.upperBound)")
            return nil
        }
        return capped
    }

    /// `true` or `false`.
    package mutating func bool(_ name: String) -> Bool? {
        guard let text = values[name] else { return nil }
        guard let bool = Bool(text) else {
            refuse(name, "must be true or false")
            return nil
        }
        return bool
    }

    package mutating func refuse(_ name: String, _ detail: @autoclosure () -> String) {
        guard faults.count < Problem.mostFaults else { return }
        faults.append(.parameter(name, detail()))
    }

    /// Throws a problem if any parameter was faulty.
    package func finish() throws {
        if !faults.isEmpty { throw Problem(.invalid, fields: faults) }
    }
}
