import TidingsCatalogue
import TidingsCore
import TidingsEncodings
import TidingsJSON
import TidingsStore
import TidingsWeb

/// Writes inbox items as an app reads them. Icon, colour and deep link come from the catalogue in force.
struct InboxItemWriter {
    let catalogue: CompiledCatalogue

    func write(_ item: InboxItem, to json: inout JSONWriter) {
        let type = catalogue.catalogue.types[item.type]
        let data = (try? JSON.parse(item.data))?.objectValue ?? JSONObject()
        json.beginObject()
        json.member("id", item.id.description)
        json.member("type", item.type)
        json.member("title", item.title ?? "")
        json.member("body", item.body ?? "")
        json.key("data")
        json.beginObject()
        // The app decodes text only, so every other value is encoded as JSON.
        for entry in data.entries { json.member(entry.key, entry.value.stringValue ?? entry.value.serialized) }
        json.endObject()
        json.member("category", item.category)
        json.member("channel", Channel.inApp.rawValue)
        json.member("createdAt", item.createdAt.milliseconds)
        json.optional("scheduledFor", item.scheduledFor?.milliseconds)
        json.member("isRead", item.isRead)
        json.member("icon", type?.icon ?? NotificationType.defaultIcon)
        json.member("color", (type?.color ?? NotificationType.defaultColor).lowercased())
        json.optional("deepLink", catalogue.deepLink(of: item.type, data: data))
        json.optional("imageURL", item.imageURL)
        json.optional("groupKey", item.groupKey)
        json.member("state", item.state.rawValue)
        json.member("position", item.position)
        json.optional("snoozedUntil", item.snoozedUntil?.milliseconds)
        json.endObject()
    }
}

extension CompiledCatalogue {
    /// The target of a tap, rendered with the item's data. Nil if the type has none, or a field of the template is missing. Texts are
    /// percent-encoded, so that data adds no part to the address.
    fileprivate func deepLink(of type: String, data: JSONObject) -> String? {
        guard let template = catalogue.types[type]?.deepLink.flatMap({ try? Template($0) }) else { return nil }
        var fields = JSONObject()
        for name in template.fields {
            guard let value = data[name], !value.isNull else { return nil }
            fields[name] = value.stringValue.map { .string($0.percentEncoded) } ?? value
        }
        return template.render(fields)
    }
}

extension String {
    /// The text with every byte encoded that is not unreserved (RFC 3986 section 2.3).
    fileprivate var percentEncoded: String {
        var encoded: [UInt8] = []
        for byte in utf8 {
            if ASCII.isLetterOrDigit(byte) || "-._~".utf8.contains(byte) {
                encoded.append(byte)
            } else {
                encoded.append(UInt8(ascii: "%"))
                encoded.append(contentsOf: Hexadecimal.encode([byte]).uppercased().utf8)
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }
}
