public import TidingsCore

extension ProviderSettings {
    /// The files that a binding's settings name, each setting from the catalogue or, where that says nothing, from its environment
    /// variable: what follows `file:` in a line, and a value that is an absolute path. Paths that are meant otherwise may be among them.
    public static func files(
        of binding: ProviderBinding, declared: [ProviderSetting], environment: [String: String]
    ) -> Set<String> {
        var files: Set<String> = []
        // One that is not declared is refused, and may still be a file's.
        for name in Set(declared.map(\.name)).union(binding.settings.keys) {
            guard let value = binding.settings[name] ?? environment[variable(kind: binding.kind, setting: name)] else { continue }
            for line in value.split(whereSeparator: \.isNewline) {
                let words = line.drop(while: \.isWhitespace)
                if let reference = words.firstRange(of: "file:") {
                    files.insert(trimmed(words[reference.upperBound...]))
                } else if words.hasPrefix("/") {
                    files.insert(trimmed(words))
                }
            }
        }
        return files
    }

    private static func trimmed(_ text: Substring) -> String {
        String(text.prefix(upTo: text.lastIndex { !$0.isWhitespace }.map(text.index(after:)) ?? text.startIndex))
    }
}
