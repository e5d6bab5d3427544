public import TidingsCore
import TidingsJSON

/// One intent of a producer: a structured CloudEvent with the members of `schemas/intent-event.schema.json`.
public struct IntentEvent: Sendable, HasContent {
    /// The system that asks. Source and ``id`` together identify the intent.
    public var source: String
    /// The producer chooses the id, of at most 256 bytes. A second event with the same source and id is the same intent.
    public var id: String
    public var type: String
    /// The category selects the intake queue. The catalogue decides the real category of the type.
    public var category: Category
    /// 1 to 1,000 distinct people.
    public var recipients: [String]
    public var content: Content
    public var channels: [Channel]?
    public var scheduledFor: Timestamp?
    public var expiresAt: Timestamp?
    public var critical: Bool
    public var market: String?
    public var tenant: String?
    /// The W3C trace context, passed on to the provider.
    public var traceparent: String?

    public init(
        source: String, id: String, type: String, category: Category, recipients: [String], title: String? = nil, body: String? = nil,
        data: String? = nil, channels: [Channel]? = nil, scheduledFor: Timestamp? = nil, expiresAt: Timestamp? = nil,
        groupKey: String? = nil, collapseKey: String? = nil, critical: Bool = false, market: String? = nil, tenant: String? = nil,
        traceparent: String? = nil
    ) {
        self.source = source
        self.id = id
        self.type = type
        self.category = category
        self.recipients = recipients
        content = Content(title: title, body: body, data: data ?? "{}", groupKey: groupKey, collapseKey: collapseKey)
        self.channels = channels
        self.scheduledFor = scheduledFor
        self.expiresAt = expiresAt
        self.critical = critical
        self.market = market
        self.tenant = tenant
        self.traceparent = traceparent
    }

    /// The event as JSON bytes.
    public var encoded: [UInt8] {
        var writer = JSONWriter(capacity: 512)
        writer.beginObject()
        writer.member("specversion", "1.0")
        writer.member("id", id)
        writer.member("source", source)
        writer.member("type", type)
        if let traceparent { writer.member("traceparent", traceparent) }
        writer.key("data")
        writer.beginObject()
        if recipients.count == 1 {
            writer.member("recipient", recipients[0])
        } else {
            Self.write(recipients, named: "recipients", to: &writer)
        }
        var texts = Content.Field.shown.map { ($0.rawValue, content[$0]) }
        texts += [("scheduledFor", scheduledFor?.rfc3339), ("expiresAt", expiresAt?.rfc3339)]
        texts += Content.Field.keys.map { ($0.rawValue, content[$0]) } + [("market", market), ("tenant", tenant)]
        for (name, value) in texts {
            if let value { writer.member(name, value) }
        }
        if let channels { Self.write(channels.map(\.rawValue), named: "channels", to: &writer) }
        if critical { writer.member("critical", true) }
        if content.data != "{}" {
            writer.key("data")
            writer.raw(content.data)
        }
        writer.endObject()
        writer.endObject()
        return writer.bytes
    }

    private static func write(_ values: [String], named name: String, to writer: inout JSONWriter) {
        writer.key(name)
        writer.beginArray()
        for value in values { writer.string(value) }
        writer.endArray()
    }
}
