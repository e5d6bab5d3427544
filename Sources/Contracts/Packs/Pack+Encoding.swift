import TidingsCore
import TidingsJSON

extension Pack {
    /// The message body: one JSON object, members in a fixed order, absent ones left out, times in RFC 3339.
    ///
    /// Readable on purpose: whoever looks at a stuck message in the broker's own tools can read who it is for and until when it counts.
    public func encode() -> [UInt8] {
        var writer = JSONWriter(capacity: Pack.envelopeBytes + entries.count * PackEntry.typicalBytes)
        writer.beginObject()
        writer.member("id", id.description)
        writer.member("channel", channel.rawValue)
        writer.member("provider", provider)
        writer.member("lane", lane.rawValue)
        writer.key("entries")
        writer.beginArray()
        if let encodedEntries { writer.raw(encodedEntries) } else { for entry in entries { entry.write(to: &writer) } }
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }

    /// At least the bytes of an encoded pack around its entries, without the provider's name: the fixed text is 59 bytes, the id 36,
    /// the longest channel 7, the longest lane 6.
    static let envelopeBytes = 128
}

extension PackEntry {
    /// Room made for one entry before encoding; entries of ordinary notifications take 400 to 600 bytes.
    static let typicalBytes = 640

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("notificationID", notificationID.description)
        writer.member("ordinal", ordinal)
        writer.member("attempt", attempt)
        writer.member("tenant", tenant)
        writer.member("recipient", recipient)
        writer.member("type", type)
        writer.member("category", category.rawValue)
        for field in Content.Field.shown { if let text = content[field] { writer.member(field.rawValue, text) } }
        writer.key("data")
        writer.raw(data)
        if let endpoint { writer.member("endpoint", endpoint) }
        for field in Content.Field.keys { if let text = content[field] { writer.member(field.rawValue, text) } }
        if let traceparent { writer.member("traceparent", traceparent) }
        writer.member("createdAt", createdAt.rfc3339)
        writer.member("decidedAt", decidedAt.rfc3339)
        writer.member("validUntil", validUntil.rfc3339)
        writer.member("expiresAt", expiresAt.rfc3339)
        if escalates { writer.member("escalates", true) }
        if hasStandby { writer.member("hasStandby", true) }
        if waitsForProvider { writer.member("waitsForProvider", true) }
        writer.endObject()
    }
}
