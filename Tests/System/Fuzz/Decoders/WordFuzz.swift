import TidingsContracts
import TidingsCore
import TidingsEncodings

@testable import TidingsCatalogue
@testable import TidingsJSON
@testable import TidingsJSONSchema
@testable import TidingsPipeline
@testable import TidingsProvider

/// The small readers of single texts. An accepted and printed text must be accepted again, with the same value.
struct WordFuzz: FuzzTarget {
    static let name = "words"
    let corpus: [[UInt8]]
    private let mutator: ByteMutator

    init() {
        corpus = (Self.texts + Extremes.texts).map { Array($0.utf8) }
        mutator = ByteMutator(corpus: Self.texts.map { Array($0.utf8) }, words: Self.words + Extremes.numbers)
    }

    func input(_ random: inout FuzzRandom) -> [UInt8] { mutator.mutated(&random) }
    func bytes(of input: [UInt8]) -> [UInt8] { input }

    func feed(_ input: [UInt8]) throws -> FuzzVerdict {
        let text = String(decoding: input, as: UTF8.self)
        let taken = [
            try isStable(text, { Timestamp(rfc3339: $0) }, \.rfc3339), try isStable(text, DurationText.parse, DurationText.print),
            try isStable(text, { NotificationID($0) }, \.description), try isStable(text, { TraceParent.validated($0) }, { $0 }),
            try isStable(text, LanguageTag.normalized, { $0 }), try isStable(text, { URIReference($0) }, \.text),
            try isStable(text, { JSONNumber(text: $0) }, \.canonical.text),
            try isRetryAfter(text), try isTemplate(text),
        ]
        _ = MediaType(text)?.isUTF8
        _ = NearestName.of(text, among: Self.texts)
        for format in SchemaFormat.allCases { _ = format.accepts(text) }
        return taken.contains(true) ? .accepted : .refused
    }

    private func isStable<Value: Equatable>(_ text: String, _ read: (String) -> Value?, _ print: (Value) -> String) throws -> Bool {
        guard let value = read(text) else { return false }
        let printed = print(value)
        // The canonical spelling of a number of the largest length may be longer, because of its exponent. The canonical spelling is only
        // used for hashes.
        guard printed.utf8.count <= JSONLimits.standard.maximumNumberLength else { return true }
        try require(read(printed) == value, "\(Value.self): printed (\(printed)) and read again it is another value")
        return true
    }

    private func isRetryAfter(_ text: String) throws -> Bool {
        // A usual clock and the two ends of time. A date may lie on either side of each.
        for now in [Timestamp(seconds: 1_780_315_200), .distantPast, .distantFuture] {
            guard let after = retryAfter(text, now: now) else { return false }
            try require(after >= .zero && after <= longestRetryAfter, "again after \(after)")
        }
        return true
    }

    private func isTemplate(_ text: String) throws -> Bool {
        guard let template = try? Template(text) else { return false }
        if template.fields.isEmpty {
            try require(template.render(JSONObject()).utf8.elementsEqual(text.utf8), "a text without fields is changed")
        }
        return !template.fields.isEmpty
    }

    private static let texts: [String] = [
        "2026-06-01T12:00:00Z", "2026-06-01t12:00:00.123456789+05:30", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z", "1h30m",
        "500ms", "90d",
        "106751991d", "9223372036854775807us", "01900000-0000-7abc-8000-000000000001",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-what", "application/json; charset=\"utf-8\"", "application/vnd.x+json",
        "a@b.example",
        "\"a b\"@[IPv6:::1]", "::ffff:1.2.3.4", "1:2:3:4:5:6:7:8", "192.0.2.1", "https://u@[v1.x]:80/a/../b?c#d", "a:b", "//x/..", "12",
        "-1.50e-3",
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "120",
        "Invoice {{number}} {{ total }}!", "zh-Hant-TW", "en_US@rg=gbzzzz;calendar=gregorian", "zh_TW_#Hant_u-nu-thai", "sr_RS.UTF-8@latin",
    ]

    private static let words = [
        "T", "Z", "+00:00", "-23:59", ".000001", "-", ":", "d", "h", "m", "s", "ms", "us", "{{", "}}", "@", "[", "]", ";charset=", "GMT",
        "Feb", "30",
        "24:00:00", "%41", "..", "//", "-00", "ff",
    ]
}
