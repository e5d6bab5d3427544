import TidingsCore
import TidingsJSON
import TidingsProvider

/// Returns the body of a request, in the shape that Standard Webhooks suggests: `type`, `timestamp` and `data`.
///
/// `timestamp` is the time when the notification was accepted, as RFC 3339. `data` holds `id`, `recipient`, `category`, `createdAt` and the
/// producer's `data`, unchanged. `title` and `body` are in `data` if the notification has them.
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
