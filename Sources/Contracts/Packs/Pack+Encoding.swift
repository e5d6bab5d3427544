import TidingsCore
import TidingsJSON

extension Pack {
    /// Returns the message body: one JSON object with its members in a fixed order. Absent members are left out, and times are in RFC 3339.
    ///
    /// The form is readable on purpose. A person who looks at a stuck message in the broker's own tools can read its recipient and its time
    /// limits.
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

    /// An upper bound of the bytes around the entries of an encoded pack, without the provider's name. The fixed text is 59 bytes, the id
    /// 36, the longest channel 7, the longest lane 6.
    static let envelopeBytes = 128
}

extension PackEntry {
    /// The bytes reserved for one entry before encoding. Entries of ordinary notifications take 400 to 600 bytes.
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
