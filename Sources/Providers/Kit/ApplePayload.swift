import TidingsCore
public import TidingsJSON

extension OutgoingDelivery {
    /// The members of an Apple push payload, which Firebase takes as well: `aps`, and beside it what the app reads.
    ///
    /// A visible one has `alert`, the default sound, `badge`, `thread-id` (the group key), `category` and `interruption-level` (where the type
    /// has one) in `aps`, and `id`, `type`, `category`, `createdAt` and `data` beside it, where each value of `data` that is no text is its
    /// JSON as text. A silent one has exactly `content-available` in `aps`, and `type` and the fields of `data` as they are beside it.
    public func writeApplePayload(to json: inout JSONWriter) {
        json.beginObject()
        json.key("aps")
        json.beginObject()
        if silent {
            json.member("content-available", 1)
            json.endObject()
            json.member("type", type)
            for (name, value) in dataFields where name != "aps" && name != "type" {
                json.key(name)
                json.value(value)
            }
        } else {
            writeVisible(to: &json)
        }
        json.endObject()
    }

    private func writeVisible(to json: inout JSONWriter) {
        json.key("alert")
        json.beginObject()
        if let title { json.member("title", title) }
        if let body { json.member("body", body) }
        json.endObject()
        json.member("sound", "default")
        if let badge { json.member("badge", badge) }
        if let groupKey { json.member("thread-id", groupKey) }
        json.member("category", category.rawValue)
        if let interruptionLevel { json.member("interruption-level", interruptionLevel.rawValue) }
        json.endObject()
        json.member("id", notificationID.description)
        json.member("type", type)
        json.member("category", category.rawValue)
        json.member("createdAt", createdAt.rfc3339)
        json.key("data")
        json.beginObject()
        for (name, text) in dataTexts { json.member(name, text) }
        json.endObject()
    }

    /// The members of ``data``, in order.
    public var dataFields: [(String, JSON)] {
        // It was checked when it was taken in; what an older version wrote and this one cannot read is sent without fields.
        guard let object = (try? JSON.parse(Array(data.utf8)))?.objectValue else { return [] }
        return object.entries.map { ($0.key, $0.value) }
    }

    /// The members of ``data`` for receivers that know only text: each value that is no text as its JSON.
    public var dataTexts: [(String, String)] {
        dataFields.map { ($0, $1.stringValue ?? $1.serialized) }
    }
}
