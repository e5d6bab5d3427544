import TidingsEncodings

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
