import TidingsCore
import TidingsHTTP
import TidingsProvider

extension ServiceConfiguration {
    /// Returns the call for a delivery: the templates, filled with its values. If the body or the URL is too long, the texts are shortened.
    func request(for item: OutgoingDelivery, channel: Channel) throws(Refusal) -> FittedMessage<HTTPRequest> {
        if needsAddress, item.endpointAddress == nil { throw .noAddress }
        return try item.fitted { item throws(Refusal) in try sizedRequest(for: item, channel: channel) }
    }

    private func sizedRequest(for item: OutgoingDelivery, channel: Channel) throws(Refusal) -> SizedMessage<HTTPRequest> {
        let values = DeliveryValues(item, channel: channel, parsingData: readsData)
        let url = try url.render(values)
        var fields: [(String, String)] = []
        for header in headers {
            let value = header.render(values)
            // Leave out the header of an absent value instead of sending it empty.
            if !value.isEmpty { fields.append((header.name, value)) }
        }
        let body = body?.render(values) ?? []
        return SizedMessage(
            calls.request(method: method.rawValue, url: url, headers: fields, body: body),
            [
                PartSize("the body", bytes: body.count, limit: maximumBodyBytes, of: "the service"),
                PartSize("the URL", bytes: url.utf8.count, limit: URLTemplate.maximumBytes, of: "the service"),
            ])
    }

    /// Returns the result for the answer to a call. The endpoint's address is hidden too: it may be a device's token, or an address to
    /// which anybody who knows it can send.
    func result(of answer: HTTPResult, for item: OutgoingDelivery, now: Timestamp) -> SendResult {
        let result = answers.read(answer, now: now).hiding(secrets)
        return item.endpointAddress.map { result.hiding([$0]).hidingAddress($0) } ?? result
    }
}

extension Refusal {
    static let noAddress = Refusal(.noAddress, "the delivery has no address")
}
