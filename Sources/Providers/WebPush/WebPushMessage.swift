import TidingsCore
import TidingsJSON
import TidingsProvider

extension PushSubscription {
    /// Reads the subscription of a delivery from its endpoint address.
    init(of item: OutgoingDelivery) throws(Refusal) {
        guard let token = item.endpointAddress else { throw Refusal(.noAddress, "the delivery has no push subscription") }
        do throws(Problem) {
            try self.init(token: token)
        } catch {
            throw Refusal(.tokenMalformed, error.description)
        }
    }
}

/// Returns the message for the page's service worker, before encryption: a JSON object.
///
/// The members are `id`, `type`, `category`, `title`, `body`, `createdAt`, `tag`, `groupKey`, `badge` and `data`, in this order. A silent
/// message also has `silent`. Members that the delivery does not have are left out.
///
/// `tag` is the collapse key. Passed to `showNotification`, `tag` makes a notification replace its predecessor, which also hides a
/// repetition. `groupKey` names the thread, and browsers have no field for it: as `tag` it would make a message of a thread replace the one
/// before. `data` is the notification's own data, unchanged.
///
/// Few types should be silent. If too many messages show nothing, browsers show a notification of their own or drop the subscription
/// (`userVisibleOnly` of the Push API).
///
/// If the message is too large for one record, its texts are shortened.
func webPushMessage(of item: OutgoingDelivery) throws(Refusal) -> FittedMessage<[UInt8]> {
    guard item.silent || item.title != nil || item.body != nil else {
        throw Refusal(.contentMissing, "the message has neither title nor body")
    }
    return try item.fitted { item in
        let message = plaintext(of: item)
        let size = PartSize("the message", bytes: message.count, limit: MessageEncryption.longestPlaintext, of: "Web Push")
        return SizedMessage(message, [size])
    }
}

private func plaintext(of item: OutgoingDelivery) -> [UInt8] {
    var json = JSONWriter(capacity: 512 + item.data.utf8.count)
    json.beginObject()
    json.member("id", item.notificationID.description)
    json.member("type", item.type)
    json.member("category", item.category.rawValue)
    if !item.silent, let title = item.title { json.member("title", title) }
    if !item.silent, let body = item.body { json.member("body", body) }
    json.member("createdAt", item.createdAt.rfc3339)
    if let collapseKey = item.collapseKey { json.member("tag", collapseKey) }
    if let groupKey = item.groupKey { json.member("groupKey", groupKey) }
    if let badge = item.badge { json.member("badge", badge) }
    json.key("data")
    json.raw(item.data)
    if item.silent { json.member("silent", true) }
    json.endObject()
    return json.bytes
}
