import TidingsCore
import TidingsEncodings
import TidingsJSON
import TidingsProvider

/// The limits of FCM.
enum FCMLimits {
    /// The most bytes of the keys and values of `data` and `notification` together.
    static let payloadBytes = 4_096
    /// The most bytes of the payload that FCM passes on to Apple.
    static let applePayloadBytes = 4_096
    /// The most bytes of a request's body. This is enough for the payload with every byte escaped, for the token, for the payload for iOS,
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

/// Reads a registration token of FCM. Google documents no form of it. Every token so far has letters, digits, `_`, `-` and `:`. Letters of
/// either case differ, so the token is kept as it is.
///
/// Refused are:
///
/// - texts with any other character: the subscription of a browser, the description of an object, a token of Expo,
/// - the words with which a language writes a missing value,
/// - 64 hexadecimal digits, which are the token of APNs for the same app.
func fcmDeviceToken(_ written: String) throws(DeviceToken.Fault) -> DeviceToken {
    let token = try DeviceToken(written)
    guard token.text.utf8.allSatisfy(isTokenByte) else {
        throw DeviceToken.Fault(
            "the token has a character other than letters, digits, \"_\", \"-\" and \":\", which FCM's tokens consist of")
    }
    guard !wordsForNothing.contains(token.text.lowercased()) else {
        throw DeviceToken.Fault("the token is the word for a missing value; the app must wait for the token of FCM")
    }
    guard token.text.utf8.count != apnsTokenDigits || Hexadecimal.decode(token.text) == nil else {
        throw DeviceToken.Fault(
            "the token has \(apnsTokenDigits) hexadecimal digits, which is a token of APNs; the app must register that of FCM")
    }
    return token
}

/// The text that an app sends if it writes a missing token with the words of its language.
private let wordsForNothing: Set = ["null", "undefined", "nil"]

/// The hexadecimal digits of today's tokens of APNs, which have 32 bytes.
private let apnsTokenDigits = 64

private func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: ":"):
        true
    default: false
    }
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
