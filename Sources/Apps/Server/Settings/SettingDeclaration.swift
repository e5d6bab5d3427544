package import TidingsJSON

/// An environment variable that Tidings reads, and what it comes to here.
package struct SettingDeclaration: Sendable {
    let name: String
    let meaning: String
    /// What holds without it; empty where nothing does.
    let defaultValue: String
    /// True if the value may hold a credential.
    let isSecret: Bool
    /// How a value is shown: whole, or without what is secret in it.
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

    /// As `config show` prints it: the value in force, and whether the environment says so.
    package func json(in environment: [String: String]) -> JSON {
        let value = environment[name].flatMap { $0.isEmpty ? nil : $0 }
        return [
            "name": .string(name), "value": .string(value.map(shown) ?? defaultValue), "set": .bool(value != nil),
            "secret": .bool(isSecret), "meaning": .string(meaning),
        ]
    }
}
