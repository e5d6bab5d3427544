import TidingsCore
import TidingsJSON
import TidingsProvider

/// The body in the shape that Standard Webhooks suggests: `type`, `timestamp` (when the notification was accepted, RFC 3339) and `data`,
/// which holds `id`, `recipient`, `category`, `createdAt`, `title` and `body` where there are any, and the producer's `data` as it stands.
func webhookBody(of item: OutgoingDelivery) -> [UInt8] {
    let createdAt = item.createdAt.rfc3339
    var json = JSONWriter(capacity: 512 + item.data.utf8.count)
    json.beginObject()
    json.member("type", item.type)
    json.member("timestamp", createdAt)
    json.key("data")
    json.beginObject()
    json.member("id", item.notificationID.description)
    json.member("recipient", item.recipient)
    if let title = item.title { json.member("title", title) }
    if let body = item.body { json.member("body", body) }
    json.member("category", item.category.rawValue)
    json.member("createdAt", createdAt)
    json.key("data")
    json.raw(item.data)
    json.endObject()
    json.endObject()
    return json.bytes
}
