/// A text with placeholders: `Dear {{name}}`. There is no logic, and spaces and tabs around a name do not count.
///
/// This is the one reader of the form. A user of it gives each name its meaning, and each value its escape.
package struct PlaceholderText<Name: Sendable & Hashable>: Sendable, Hashable {
    package enum Part: Sendable, Hashable {
        case text(String)
        case value(Name)
    }

    package let parts: [Part]

    /// The names, in the order of their appearance.
    package var names: [Name] {
        parts.compactMap { part in
            if case .value(let name) = part { name } else { nil }
        }
    }

    /// Returns the text with a value in place of each placeholder. Placeholders inside of a value are not replaced.
    ///
    /// - Parameter escape: returns a value in the form in which it stays within its place, such as percent-encoded.
    package func render(_ value: (Name) -> String, escaping escape: (String) -> String = { $0 }) -> String {
        var rendered = ""
        for part in parts {
            switch part {
            case .text(let text): rendered += text
            case .value(let name): rendered += escape(value(name))
            }
        }
        return rendered
    }

    /// Returns the same text with the meaning of each name in its place.
    package func naming<Meaning: Sendable & Hashable, Fault: Error>(
        _ meaning: (Name) throws(Fault) -> Meaning
    ) throws(Fault) -> PlaceholderText<Meaning> {
        var named: [PlaceholderText<Meaning>.Part] = []
        for part in parts {
            switch part {
            case .text(let text): named.append(.text(text))
            case .value(let name): named.append(.value(try meaning(name)))
            }
        }
        return PlaceholderText<Meaning>(parts: named)
    }
}

extension PlaceholderText<String> {
    /// Reads a text. Returns the part that can be read, and each problem once: an empty name, and `{{` without `}}`. A text with a problem
    /// must not be rendered.
    package static func read(_ text: String) -> (text: PlaceholderText<String>, problems: [String]) {
        var parts: [Part] = []
        var problems: [String] = []
        var rest = Substring(text)
        while let opening = rest.firstRange(of: "{{") {
            if opening.lowerBound > rest.startIndex { parts.append(.text(String(rest[..<opening.lowerBound]))) }
            rest = rest[opening.upperBound...]
            guard let closing = rest.firstRange(of: "}}") else {
                problems.append("\"{{\" is never closed by \"}}\"")
                return (PlaceholderText(parts: parts), problems)
            }
            let name = rest[..<closing.lowerBound].trimmingBlanks
            if !name.isEmpty {
                parts.append(.value(String(name)))
            } else if problems.isEmpty {
                problems.append("\"{{}}\" names no field")
            }
            rest = rest[closing.upperBound...]
        }
        if !rest.isEmpty { parts.append(.text(String(rest))) }
        return (PlaceholderText(parts: parts), problems)
    }
}
