import TidingsCore
public import TidingsJSON

extension OutgoingDelivery {
    /// The Apple push payload: a JSON object, see ``writeApplePayload(to:)``. Apple takes 4,096 bytes, whoever passes them on.
    public var applePayload: [UInt8] {
        var json = JSONWriter(capacity: 1_024)
        writeApplePayload(to: &json)
        return json.bytes
    }

    /// Writes the members of an Apple push payload: the object `aps`, followed by the fields that the app reads. Firebase takes the same
    /// payload.
    ///
    /// A visible notification has `alert`, the default sound, `badge`, `thread-id` (the group key), `category` and `interruption-level` in
    /// `aps`. `interruption-level` is left out if the type has none. The fields beside `aps` are `id`, `type`, `category`, `createdAt` and
    /// `data`. If the notification has an image, `aps` has `mutable-content` and `imageURL` stands beside it: the app's service extension
    /// loads and attaches the image. Each value of `data` that is not text becomes text: its JSON.
    ///
    /// A silent notification has only `content-available` in `aps`. Beside `aps` are `type` and the fields of `data`, unchanged.
    /// Fields named `aps` or `type` are left out.
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
        if imageURL != nil { json.member("mutable-content", 1) }
        if let interruptionLevel { json.member("interruption-level", interruptionLevel.rawValue) }
        json.endObject()
        json.member("id", notificationID.description)
        json.member("type", type)
        json.member("category", category.rawValue)
        json.member("createdAt", createdAt.rfc3339)
        if let imageURL { json.member("imageURL", imageURL) }
        json.key("data")
        json.beginObject()
        for (name, text) in dataTexts { json.member(name, text) }
        json.endObject()
    }

    /// The members of ``data``, in order.
    public var dataFields: [(String, JSON)] {
        // Intake already checked the data. If an older version stored data that this version cannot parse, the push is sent without fields.
        guard let object = (try? JSON.parse(Array(data.utf8)))?.objectValue else { return [] }
        return object.entries.map { ($0.key, $0.value) }
    }

    /// The members of ``data`` for receivers that know only text. Each value that is not text becomes its JSON.
    public var dataTexts: [(String, String)] {
        dataFields.map { ($0, $1.stringValue ?? $1.serialized) }
    }
}
