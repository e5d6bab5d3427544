import TidingsCore
import TidingsJSON
import TidingsProvider

/// Why a delivery is not sent at all, as its result.
struct UnsendablePush: Error, Sendable, Hashable {
    var result: SendResult

    init(_ reason: ReasonCode, _ detail: String) {
        result = SendResult(.rejected(reason), detail: detail)
    }
}

extension PushSubscription {
    /// The subscription that a delivery goes to.
    init(of item: OutgoingDelivery) throws(UnsendablePush) {
        guard let token = item.endpointAddress else { throw UnsendablePush(.noAddress, "the delivery has no push subscription") }
        do throws(Problem) {
            try self.init(token: token)
        } catch {
            throw UnsendablePush(.tokenMalformed, error.description)
        }
    }
}

/// What the page's service worker gets, before encryption: a JSON object with `id`, `type`, `category`, `title`, `body`, `createdAt`,
/// `tag`, `badge` and `data`, in this order, and `silent` when it is to show nothing. What the delivery does not have is left out.
///
/// `tag` is the collapse key, else the group key: given to `showNotification`, it makes a notification replace its predecessor, which also
/// hides a repetition. `data` is the notification's own, as it stands. Browsers show something of their own, or drop the subscription, when
/// too many messages show nothing (`userVisibleOnly` of the Push API), so few types should be silent.
func webPushMessage(of item: OutgoingDelivery) throws(UnsendablePush) -> [UInt8] {
    guard item.silent || item.title != nil || item.body != nil else {
        throw UnsendablePush(.contentMissing, "the message has neither title nor body")
    }
    var json = JSONWriter(capacity: 512 + item.data.utf8.count)
    json.beginObject()
    json.member("id", item.notificationID.description)
    json.member("type", item.type)
    json.member("category", item.category.rawValue)
    if !item.silent, let title = item.title { json.member("title", title) }
    if !item.silent, let body = item.body { json.member("body", body) }
    json.member("createdAt", item.createdAt.rfc3339)
    if let tag = item.collapseKey ?? item.groupKey { json.member("tag", tag) }
    if let badge = item.badge { json.member("badge", badge) }
    json.key("data")
    json.raw(item.data)
    if item.silent { json.member("silent", true) }
    json.endObject()
    let size = json.bytes.count
    guard size <= MessageEncryption.longestPlaintext else {
        throw UnsendablePush(
            .payloadTooLarge, "the message has \(size) bytes; Web Push carries \(MessageEncryption.longestPlaintext)")
    }
    return json.bytes
}
