/// The form of a language tag (BCP 47), such as `es-MX`.
public enum LanguageTag {
    /// Whether the text has the form of a tag (RFC 5646 section 2.1): a language of two to eight letters, then parts of up to eight letters
    /// and digits. A private tag begins with `x`, and an old registered one with `i`; both have another part.
    public static func isTag(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        let isPlain = parts.allSatisfy { (1...8).contains($0.utf8.count) && $0.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) } }
        guard isPlain, let language = parts.first, language.allSatisfy(\.isLetter) else { return false }
        return language.utf8.count > 1 || (parts.count > 1 && ["x", "i"].contains(language.lowercased()))
    }

    /// Returns the tag of a locale as platforms write it. Returns nil if the text is no locale, or a locale without a language, such as
    /// `C`. A text that is a tag already stays as it is. A longer word than the codes of languages, such as `English`, is no locale.
    ///
    /// | platform | locale | tag |
    /// | --- | --- | --- |
    /// | POSIX | `de_AT.UTF-8@euro`, `sr_RS@latin` | `de-AT`, `sr-Latn-RS` |
    /// | Apple, ICU | `zh-Hant_TW`, `en_US@rg=gbzzzz` | `zh-Hant-TW`, `en-US-u-rg-gbzzzz` |
    /// | Java, Android | `zh_TW_#Hant`, `th_TH_TH_#u-nu-thai` | `zh-Hant-TW`, `th-TH-u-nu-thai` |
    ///
    /// A part that has no place in a tag is left out, such as the character set of POSIX or a keyword that ICU alone knows.
    public static func normalized(_ locale: String) -> String? {
        if isTag(locale), beginsWithACode(locale) { return locale }
        guard let tag = LocaleName(locale)?.tag, isTag(tag), beginsWithACode(tag) else { return nil }
        return tag
    }

    /// Codes of languages have two or three letters. The forms with `x` and `i` have one.
    private static func beginsWithACode(_ tag: String) -> Bool { tag.prefix { $0 != "-" }.utf8.count <= 3 }
}
