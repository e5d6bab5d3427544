/// The form of a language tag (BCP 47), such as `es-MX`.
public enum LanguageTag {
    /// Whether the text has the form of a tag: a language of two or three letters, then parts of up to eight letters and digits.
    /// BCP 47 also allows longer languages, but none is registered.
    public static func isTag(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        let isPlain = parts.allSatisfy { (1...8).contains($0.utf8.count) && $0.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) } }
        return isPlain && parts.first.map { (2...3).contains($0.utf8.count) && $0.allSatisfy(\.isLetter) } == true
    }

    /// Returns the tag of a locale as platforms write it. Returns nil if the text is no locale, or a locale without a language, such as
    /// `C`. A text that is a tag already stays as it is.
    ///
    /// | platform | locale | tag |
    /// | --- | --- | --- |
    /// | POSIX | `de_AT.UTF-8@euro`, `sr_RS@latin` | `de-AT`, `sr-Latn-RS` |
    /// | Apple, ICU | `zh-Hant_TW`, `en_US@rg=gbzzzz` | `zh-Hant-TW`, `en-US-u-rg-gbzzzz` |
    /// | Java, Android | `zh_TW_#Hant`, `th_TH_TH_#u-nu-thai` | `zh-Hant-TW`, `th-TH-u-nu-thai` |
    ///
    /// A part that has no place in a tag is left out, such as the character set of POSIX or a keyword that ICU alone knows.
    public static func normalized(_ locale: String) -> String? {
        if isTag(locale) { return locale }
        guard let tag = LocaleName(locale)?.tag, isTag(tag) else { return nil }
        return tag
    }
}
