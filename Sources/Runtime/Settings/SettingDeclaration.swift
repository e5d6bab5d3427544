package import TidingsJSON

/// An environment variable that Tidings reads, with its meaning and its default.
package struct SettingDeclaration: Sendable {
    let name: String
    let meaning: String
    /// The value that holds if the variable is not set; empty if there is none.
    let defaultValue: String
    /// True if the value may hold a credential.
    let isSecret: Bool
    /// Returns the form in which a value is shown: whole, or without its secrets.
    let shown: @Sendable (String) -> String

    package init(
        _ name: String, _ meaning: String, defaultValue: String = "", isSecret: Bool = false,
        shown: @escaping @Sendable (String) -> String = { $0 }
    ) {
        self.name = name
        self.meaning = meaning
        self.defaultValue = defaultValue
        self.isSecret = isSecret
        self.shown = shown
    }

    /// The object that `config show` prints: the value in force, and whether the environment sets it.
    package func json(in environment: [String: String]) -> JSON {
        let value = environment[name].flatMap { $0.isEmpty ? nil : $0 }
        return [
            "name": .string(name), "value": .string(value.map(shown) ?? defaultValue), "set": .bool(value != nil),
            "secret": .bool(isSecret), "meaning": .string(meaning),
        ]
    }
}
