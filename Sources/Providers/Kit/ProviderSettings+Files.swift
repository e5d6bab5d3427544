public import TidingsCore

extension ProviderSettings {
    /// The files that a binding's settings name. Each setting comes from the catalogue or, if absent there, from its environment variable.
    ///
    /// A file is the text after `file:` in a line, or a line that begins with `/`. The result may contain paths that are not meant as
    /// files.
    public static func files(
        of binding: ProviderBinding, declared: [ProviderSetting], environment: [String: String]
    ) -> Set<String> {
        var files: Set<String> = []
        // Undeclared settings count too: such a binding is refused, but the setting may still name a file.
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
