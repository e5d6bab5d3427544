/// The form of a language tag (BCP 47), such as `es-MX`.
public enum LanguageTag {
    /// Whether the text has the form of a tag: a language of two or three letters, then parts of up to eight letters and digits.
    /// BCP 47 also allows longer languages, but none is registered.
    public static func isTag(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        let isPlain = parts.allSatisfy { (1...8).contains($0.utf8.count) && $0.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) } }
        return isPlain && parts.first.map { (2...3).contains($0.utf8.count) && $0.allSatisfy(\.isLetter) } == true
    }
}
