import TidingsCore
import TidingsJSON
import TidingsProvider

/// The values of the placeholders for one delivery.
struct DeliveryValues: Sendable {
    private(set) var item: OutgoingDelivery
    let channel: Channel
    /// The delivery's data. Empty if no template uses the data.
    private let data: JSONObject

    init(_ item: OutgoingDelivery, channel: Channel, parsingData: Bool) {
        self.item = item
        self.channel = channel
        // Intake already checked the data. If an older version stored data that this version cannot parse, they count as no fields.
        data = parsingData ? (try? JSON.parse(item.data))?.objectValue ?? JSONObject() : JSONObject()
    }

    /// Returns the same values with the keys in the form of a field that does not take every text.
    func withKeys(as form: KeyForm) -> DeliveryValues {
        var values = self
        values.item.content.groupKey = item.groupKey.map(form.key)
        values.item.content.collapseKey = item.collapseKey.map(form.key)
        return values
    }

    /// Returns nil if the delivery does not have the value.
    func value(of placeholder: Placeholder) -> JSON? {
        switch placeholder {
        case .property(let property): return value(of: property)
        case .dataField(let path):
            var value = JSON.object(data)
            for name in path {
                guard let member = value[name] else { return nil }
                value = member
            }
            return value
        }
    }

    /// Returns the value for use inside a text: text unchanged, any other value as its JSON. Null and an absent value become an empty text.
    func text(of placeholder: Placeholder) -> String {
        switch value(of: placeholder) {
        case nil, .null: ""
        case .string(let text): text
        case .some(let value): value.serialized
        }
    }

    private func value(of property: Placeholder.Property) -> JSON? {
        switch property {
        case .id: .string(item.notificationID.description)
        case .recipient: .string(item.recipient)
        case .tenant: .string(item.tenant)
        case .channel: .string(channel.rawValue)
        case .type: .string(item.type)
        case .category: .string(item.category.rawValue)
        case .title: item.title.map { .string($0) }
        case .body: item.body.map { .string($0) }
        case .data: .object(data)
        case .createdAt: .string(item.createdAt.rfc3339)
        case .expiresAt: item.expiresAt.map { .string($0.rfc3339) }
        case .address: item.endpointAddress.map { .string($0) }
        case .idempotencyKey: .string(item.idempotencyKey)
        case .attempt: .number(JSONNumber(Int64(item.attempt)))
        case .groupKey: item.groupKey.map { .string($0) }
        case .collapseKey: item.collapseKey.map { .string($0) }
        case .traceparent: item.traceparent.map { .string($0) }
        case .silent: .bool(item.silent)
        case .badge: item.badge.map { .number(JSONNumber(Int64($0))) }
        }
    }
}
