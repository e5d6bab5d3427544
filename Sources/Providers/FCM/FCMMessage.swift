import TidingsCore
import TidingsJSON
import TidingsProvider

/// The limits of FCM.
enum FCMLimits {
    /// The most bytes of the keys and values of `data` and `notification` together.
    static let payloadBytes = 4_096
    /// The most bytes of the payload that FCM passes on to Apple.
    static let applePayloadBytes = 4_096
    /// The most bytes of a request's body. This is enough for the payload and the token with every byte escaped, for the payload for iOS,
    /// and for the envelope.
    static let bodyBytes = 40 << 10
    /// In seconds: the longest time that FCM keeps a message for an offline device, 28 days.
    static let longestLife: Int64 = 2_419_200
}

/// Returns the body of `messages:send`. The members are `token`, `data`, `notification` if the message is visible, and the block of the
/// device's platform: `android` or `apns`. If the platform is unknown, the body has both blocks.
///
/// FCM limits the texts for all platforms, and Apple limits the payload for iOS. If a part exceeds its limit, the image is left out and the
/// texts are shortened: see ``TidingsProvider/OutgoingDelivery/fitted(_:)``.
///
/// - Parameter now: the start of `ttl`.
func fcmBody(of item: OutgoingDelivery, now: Timestamp) throws(Refusal) -> FittedMessage<[UInt8]> {
    let token = try registrationToken(of: item)
    guard item.silent || item.title != nil || item.body != nil else {
        throw Refusal(.contentMissing, "the message has neither title nor body")
    }
    return try item.fitted { fcmMessage(of: $0, to: token, now: now) }
}

private func fcmMessage(of item: OutgoingDelivery, to token: String, now: Timestamp) -> SizedMessage<[UInt8]> {
    let data = fcmData(of: item)
    let shown = item.silent ? [] : [("title", item.title), ("body", item.body)].compactMap { name, text in text.map { (name, $0) } }
    let texts = (data + shown).reduce(0) { $0 + $1.0.utf8.count + $1.1.utf8.count }
    let image = item.silent ? 0 : item.imageURL?.utf8.count ?? 0
    var sizes = [PartSize("the text of data and notification", bytes: texts + image, limit: FCMLimits.payloadBytes, of: "FCM")]
    var json = JSONWriter(capacity: 1_024 + 2 * texts)
    json.beginObject()
    json.key("message")
    json.beginObject()
    json.member("token", token)
    json.writeTexts("data", data)
    if !item.silent { json.writeTexts("notification", shown) }
    let platform = item.device?.platform
    if platform == nil || platform == "android" { item.writeAndroid(to: &json, now: now) }
    if platform == nil || platform == "ios" {
        let payload = item.applePayload
        sizes.append(PartSize("the payload for iOS", bytes: payload.count, limit: FCMLimits.applePayloadBytes, of: "Apple"))
        item.writeAPNs(payload, to: &json)
    }
    json.endObject()
    json.endObject()
    return SizedMessage(json.bytes, sizes)
}

private func registrationToken(of item: OutgoingDelivery) throws(Refusal) -> String {
    guard let token = item.endpointAddress else { throw Refusal(.noAddress, "the delivery has no registration token") }
    do throws(DeviceToken.Fault) {
        return try fcmDeviceToken(token).text
    } catch {
        throw Refusal(.tokenMalformed, error.description)
    }
}

/// Reads a registration token of FCM. Google documents no form of it, and letters of either case differ, so the token is kept as it is.
///
/// Refused are texts that begin with `{` or `<`: the subscription of a browser, and the description of an object in place of its token.
func fcmDeviceToken(_ written: String) throws(DeviceToken.Fault) -> DeviceToken {
    let token = try DeviceToken(written)
    guard !token.text.hasPrefix("{"), !token.text.hasPrefix("<") else {
        throw DeviceToken.Fault("the token is the text of an object; FCM's are texts of letters, digits and a few marks")
    }
    return token
}

/// Returns the member `data`, whose values are all text.
///
/// A visible message has `id`, `type`, `category`, `createdAt`, and `data` with the notification's data as JSON text. A silent message has
/// `type` and each field of the data. A value that is not text becomes its JSON.
///
/// FCM reserves some names; a field with such a name gets a leading underscore. Two kinds of field are left out: a field named `type`, and
/// a reserved field if another field already has the name with the underscore.
func fcmData(of item: OutgoingDelivery) -> [(String, String)] {
    guard item.silent else {
        return [
            ("id", item.notificationID.description), ("type", item.type), ("category", item.category.rawValue),
            ("createdAt", item.createdAt.rfc3339), ("data", item.data),
        ]
    }
    let fields = item.dataTexts
    let names = Set(fields.map(\.0))
    var texts = [("type", item.type)]
    for (name, text) in fields where name != "type" {
        let allowed = isReserved(name) ? "_\(name)" : name
        if allowed == name || !names.contains(allowed) { texts.append((allowed, text)) }
    }
    return texts
}

private func isReserved(_ name: String) -> Bool {
    name == "from" || name == "message_type" || name.hasPrefix("google") || name.hasPrefix("gcm")
}

extension JSONWriter {
    fileprivate mutating func writeTexts(_ name: String, _ texts: [(String, String)]) {
        key(name)
        beginObject()
        for (name, text) in texts { member(name, text) }
        endObject()
    }
}
