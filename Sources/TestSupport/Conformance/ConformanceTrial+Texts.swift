import TidingsCore
import TidingsProvider

/// The size of the requests.
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
}
