import Testing
import TidingsContracts

@Suite struct LanguageTagTests {
    @Test(arguments: ["en", "es-MX", "zh-Hant-TW", "en-US-u-rg-gbzzzz", "fil-PH", "sl-rozaj-biske", "EN-us", "de-CH-1996"])
    func aTagStaysAsItIs(_ tag: String) {
        #expect(LanguageTag.isTag(tag) && LanguageTag.normalized(tag) == tag)
    }

    /// Names that `Locale.current.identifier` of Apple, `Locale.toString()` of Java and `$LANG` of POSIX give.
    @Test(arguments: [
        ("en_US", "en-US"), ("EN_us", "en-US"), ("zh-Hant_TW", "zh-Hant-TW"), ("zh_Hans_CN", "zh-Hans-CN"), ("es_419", "es-419"),
        ("en_US@rg=gbzzzz", "en-US-u-rg-gbzzzz"), ("th_TH@calendar=buddhist", "th-TH-u-ca-buddhist"),
        ("en_GB@calendar=gregorian;currency=EUR;rg=dezzzz", "en-GB-u-ca-gregory-cu-eur-rg-dezzzz"),
        ("ar_EG@numbers=latn;hours=h23", "ar-EG-u-nu-latn-hc-h23"), ("de@collation=phonebook", "de-u-co-phonebk"),
        ("en_US@unknown=value;fw=mon", "en-US-u-fw-mon"), ("en_US@calendar=", "en-US"), ("en_US@rg=$$$$;!!=abc", "en-US"),
        ("en_US_POSIX", "en-US-posix"), ("de_AT.UTF-8@euro", "de-AT"), ("de_AT.UTF-8", "de-AT"), ("sr_RS@latin", "sr-Latn-RS"),
        ("ca_ES@valencia", "ca-ES-valencia"), ("zh_TW_#Hant", "zh-Hant-TW"), ("sr__#Latn", "sr-Latn"),
        ("th_TH_TH_#u-nu-thai", "th-TH-u-nu-thai"), ("zh_TW_#Hant_x-java", "zh-Hant-TW-x-java"),
        ("en_US_#u-rg-gbzzzz", "en-US-u-rg-gbzzzz"), ("en_US_WIN", "en-US"), ("de__POSIX", "de-posix"),
        ("en_US-u-rg-gbzzzz", "en-US-u-rg-gbzzzz"), ("en-US-", "en-US"), ("nds_DE", "nds-DE"),
    ])
    func aLocaleOfAPlatformBecomesATag(_ locale: String, _ tag: String) {
        #expect(LanguageTag.normalized(locale) == tag)
        #expect(LanguageTag.isTag(tag))
    }

    @Test(arguments: [
        "", "C", "C.UTF-8", "POSIX", "!", "klingon", "_GB", "-en", "en US", "English", "english (US)", "e", "日本語", "@rg=gbzzzz", "123",
        "é_FR", "#Hant", "en\u{0}",
    ])
    func aLocaleThatNamesNoLanguageHasNoTag(_ locale: String) {
        #expect(LanguageTag.normalized(locale) == nil)
    }

    /// The examples of RFC 5646, appendix A: well-formed tags of every kind.
    @Test(arguments: [
        "de", "fr", "ja", "i-enochian", "zh-Hant", "zh-Hans", "sr-Cyrl", "sr-Latn", "zh-cmn-Hans-CN", "cmn-Hans-CN", "zh-yue-HK", "yue-HK",
        "zh-Hans-CN", "sr-Latn-RS", "sl-rozaj", "sl-rozaj-biske", "sl-nedis", "de-CH-1901", "sl-IT-nedis", "hy-Latn-IT-arevela", "de-DE",
        "en-US", "es-419", "de-CH-x-phonebk", "az-Arab-x-AZE-derbend", "x-whatever", "qaa-Qaaa-QM-x-southern", "de-Qaaa", "sr-Latn-QM",
        "sr-Qaaa-RS", "en-US-u-islamcal", "zh-CN-a-myext-x-private", "en-a-myext-b-another", "X-Whatever", "i-KLINGON",
    ])
    func aTagOfTheStandardIsOne(_ tag: String) { #expect(LanguageTag.isTag(tag)) }

    @Test(arguments: [
        "", "-", "e", "x", "i", "x-", "a-DE", "en-", "-US", "en--US", "en_US", "en US", "419", "e1", "abcdefghi", "en-abcdefghi", "é", "!",
    ])
    func anythingElseIsNone(_ text: String) { #expect(!LanguageTag.isTag(text)) }
}
