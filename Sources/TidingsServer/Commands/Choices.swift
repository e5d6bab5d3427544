import TidingsCore

/// Values of options that come from a closed list. Each throws a ``Failure`` with exit code 65 that names the list.
enum Choices {
    static func check(_ value: String?, of option: String, isOneOf known: [String]) throws {
        guard let value, !known.contains(value) else { return }
        throw Failure(.data, "unknown \(option) \(value)", hint: "it is one of \(known.joined(separator: ", "))")
    }

    /// Nil where none is named, which means every channel.
    static func channels(_ names: [String]) throws -> [Channel]? {
        for name in names { try check(name, of: "channel", isOneOf: Channel.allCases.map(\.rawValue)) }
        return names.isEmpty ? nil : names.compactMap(Channel.init(rawValue:))
    }
}
