import TidingsCore
import TidingsHTTP
import TidingsProvider

extension ServiceConfiguration {
    /// The call that carries a delivery: the templates filled in with its values.
    func request(for item: OutgoingDelivery, channel: Channel) throws(Refusal) -> HTTPRequest {
        if needsAddress, item.endpointAddress == nil { throw .noAddress }
        let values = DeliveryValues(item, channel: channel, parsingData: readsData)
        let url = try url.render(values)
        var fields: [(String, String)] = []
        for header in headers {
            let value = try header.render(values)
            // A value that the delivery does not have is left out, and not sent as an empty one.
            if !value.isEmpty { fields.append((header.name, value)) }
        }
        let body = body?.render(values) ?? []
        guard body.count <= maximumBodyBytes else {
            throw Refusal(.payloadTooLarge, "a body of \(body.count) bytes is over the limit of \(maximumBodyBytes)")
        }
        return calls.request(method: method.rawValue, url: url, headers: fields, body: body)
    }

    /// What the answer to it means. An address is hidden too: it may be a device's token, or one that whoever knows it may send to.
    func result(of answer: HTTPResult, for item: OutgoingDelivery, now: Timestamp) -> SendResult {
        let result = answers.read(answer, now: now).hiding(secrets)
        return item.endpointAddress.map { result.hiding([$0]).hidingAddress($0) } ?? result
    }
}

/// Why a delivery is not sent at all: with these values it would be refused each time.
struct Refusal: Error, Hashable {
    let reason: ReasonCode
    let detail: String

    init(_ reason: ReasonCode, _ detail: String) {
        self.reason = reason
        self.detail = detail
    }

    static let noAddress = Refusal(.noAddress, "the delivery has no address")

    var result: SendResult { SendResult(.rejected(reason), detail: detail) }
}
