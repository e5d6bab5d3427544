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

    /// Returns the fields of the request for a delivery with these keys. Complains and returns none if the delivery is not sent.
    func keys(_ group: String?, _ collapse: String?) async -> [ConformanceKey] {
        var item = delivery
        (item.content.groupKey, item.content.collapseKey) = (group, collapse)
        return await sent(item)?.keys ?? []
    }

    /// Sends a delivery to a service that accepts it. Returns the content of its request. Complains and returns nil if the delivery is not
    /// accepted.
    func sent(_ item: OutgoingDelivery) async -> ConformanceContent? {
        server.become(.answering(.accepted))
        let before = server.deliveries
        let result = await send(item)
        guard case .accepted = result.outcome, server.deliveries > before, let request = server.latestDelivery else {
            complain("a delivery with the keys \(item.groupKey ?? "nil") and \(item.collapseKey ?? "nil") came to \(result)")
            return nil
        }
        return subject.content(of: request)
    }
}
