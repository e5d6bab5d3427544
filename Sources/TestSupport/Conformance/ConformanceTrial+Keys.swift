import TidingsCore
import TidingsProvider

/// The group key and the collapse key in the requests.
extension ConformanceTrial {
    /// A thread and a replacement are two things: only the group key makes a thread, and only the collapse key replaces. An absent or empty
    /// key makes neither.
    func keepThreadsApart() async {
        for (group, collapse) in [(nil, nil), ("", ""), ("a", nil), (nil, "a")] as [(String?, String?)] {
            for key in await keys(group, collapse) where (key.purpose == .thread ? group : collapse)?.ifPresent == nil {
                let missing = key.purpose == .thread ? "group key" : "collapse key"
                complain("\(key.field) is \"\(key.value)\", and the delivery has no \(missing)")
            }
        }
        let (one, thread, replacement) = (await keys("g-1", "c-1"), await keys("g-1", "c-2"), await keys("g-2", "c-1"))
        for key in one {
            let others = key.purpose == .thread ? (same: thread, other: replacement) : (same: replacement, other: thread)
            if !others.same.contains(key) { complain("\(key.field) differs for one key") }
            if others.other.contains(key) { complain("\(key.field) is the same for two keys") }
        }
    }

    /// Every key becomes one that its field takes. A key that the field takes stays as it is, and different keys stay different.
    func writeHostileKeys() async {
        var written: [String: Set<[UInt8]>] = [:]
        for text in Self.hostileKeys {
            for key in await keys(text, text) {
                if let form = key.form, !form.takes(key.value) { complain("\(key.field) is \"\(key.value)\", which it does not take") }
                if key.form?.takes(text) != false, !key.value.utf8.elementsEqual(text.utf8) {
                    complain("\(key.field) is \"\(key.value)\" for the key \"\(text)\", which it takes")
                }
                if !written[key.field, default: []].insert(Array(key.value.utf8)).inserted {
                    complain("\(key.field) is \"\(key.value)\" for two keys")
                }
            }
        }
    }

    /// Keys that a header, a field of 64 bytes or a topic of Web Push does not take. Base64 has no text of five characters.
    private static let hostileKeys =
        ["order", "order-17", "order 17", " order", "order ", "größe", "e\u{301}", "é", "a\r\nb", "a\u{1}b", "日本", "👩‍👩‍👧‍👦"]
        + [32, 33, 64, 65, 256].map { String(repeating: "k", count: $0) }

    /// Returns the fields of the request for a delivery with these keys. Complains and returns none if the delivery is not sent.
    func keys(_ group: String?, _ collapse: String?) async -> [ConformanceKey] {
        var item = delivery
        (item.content.groupKey, item.content.collapseKey) = (group, collapse)
        return await sent(item, "a delivery with the keys \(group ?? "nil") and \(collapse ?? "nil")")?.content.keys ?? []
    }

    /// Sends a delivery to a service that accepts it. Returns the content of its request. Complains and returns nil if the delivery is not
    /// accepted.
    func sent(_ item: OutgoingDelivery, _ name: String) async -> (content: ConformanceContent, result: SendResult)? {
        server.become(.answering(.accepted))
        let before = server.deliveries
        let result = await send(item)
        guard case .accepted = result.outcome, server.deliveries > before, let request = server.latestDelivery else {
            complain("\(name) came to \(result)")
            return nil
        }
        return (subject.content(of: request), result)
    }
}
