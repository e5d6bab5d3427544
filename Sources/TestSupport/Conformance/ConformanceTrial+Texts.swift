import TidingsCore
import TidingsProvider

/// The size of the requests, and the texts in them.
extension ConformanceTrial {
    /// A body beyond the limit is shortened or refused. It is never sent as it is.
    func sendTooMuch() async {
        let limit = provider.limits.maximumBodyBytes
        let text = String(repeating: "x", count: limit + 1)
        var (body, data) = (delivery, delivery)
        body.content.body = text
        data.content.data = "{\"x\":\"\(text)\"}"
        for (name, item) in [("a body", body), ("data", data)] {
            let before = server.deliveries
            let result = await send(item)
            switch result.outcome {
            case .rejected(.payloadTooLarge): if server.deliveries != before { complain("\(name) beyond maximumBodyBytes was sent") }
            case .accepted:
                let bytes = server.latestDelivery?.body.count ?? 0
                if bytes > limit { complain("\(name) beyond maximumBodyBytes was sent, in a request of \(bytes) bytes") }
            default: complain("\(name) beyond maximumBodyBytes came to \(result)")
            }
        }
    }

    /// A text that is too long is shortened at the edge of a character, until every part has the size that the service takes. The result
    /// has a note of it.
    func shortenTexts() async {
        guard let standard = await sent(delivery, "a delivery")?.content, !standard.texts.isEmpty else { return }
        for (name, text) in Self.longTexts {
            var item = delivery
            item.content.body = text
            guard let (content, result) = await sent(item, "a long body of \(name)") else { continue }
            for part in content.parts where !part.fits {
                complain("\(part.part) has \(part.bytes) bytes for a long body of \(name), and \(part.service) takes \(part.limit)")
            }
            for shown in content.texts where !Self.isStart(shown, of: text) && !Self.isStart(shown, of: item.title ?? "") {
                complain("a long body of \(name) is not cut at the edge of a character: \(shown.suffix(20))")
            }
            if !content.texts.contains(text), result.detail == nil { complain("a long body of \(name) was shortened without a note") }
        }
    }

    /// More bytes than a push service takes. As JSON, quotation marks and line breaks of this length are too long for a webhook, too.
    private static let longTextBytes = 300_000

    private static let longTexts: [(String, String)] =
        [
            ("letters", "y"), ("quotation marks", "\""), ("line breaks", "\n"), ("umlauts", "é"), ("families", "👩‍👩‍👧‍👦"), ("flags", "🇩🇪"),
        ].map { ($0, String(repeating: $1, count: longTextBytes / $1.utf8.count)) } + [
            ("one letter with accents", "e" + String(repeating: "\u{301}", count: longTextBytes / 2))
        ]

    /// Whether a text is the other, or its start with an ellipsis in place of the rest.
    private static func isStart(_ text: String, of whole: String) -> Bool {
        if text.utf8.elementsEqual(whole.utf8) { return true }
        let kept = text.utf8.dropLast("…".utf8.count)
        guard text.hasSuffix("…"), !kept.isEmpty, whole.utf8.starts(with: kept) else { return false }
        let end = whole.utf8.index(whole.startIndex, offsetBy: kept.count)
        return whole.index(after: whole.index(before: end)) == end
    }
}
