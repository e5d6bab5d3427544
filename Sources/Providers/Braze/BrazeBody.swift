import TidingsCore
import TidingsJSON
import TidingsProvider

/// Returns the body of `POST /messages/send`: the people, each named once, the campaign if there is one, and one message for each platform.
///
/// The body contains the notification's `id` and `createdAt` only if the binding makes one call for each person. If the message for a
/// platform is too large, its texts are shortened. A platform that takes not even the shortest texts is left out.
func brazeBody(
    of item: OutgoingDelivery, to people: [String], configuration: BrazeConfiguration, now: Timestamp
) throws(Refusal) -> FittedMessage<[UInt8]> {
    let (messages, leftOut) = try brazeMessages(of: item, configuration: configuration, now: now)
    var json = JSONWriter(capacity: 8_192)
    json.beginObject()
    json.key("external_user_ids")
    json.beginArray()
    // Compare bytes: Swift treats a precomposed and a decomposed letter as equal, Braze does not.
    var named: Set<[UInt8]> = []
    for person in people where named.insert(Array(person.utf8)).inserted { json.string(person) }
    json.endArray()
    if let campaignID = configuration.campaignID { json.member("campaign_id", campaignID) }
    json.key("messages")
    json.beginObject()
    for (name, message) in messages {
        json.key(name)
        json.raw(message.message)
    }
    json.endObject()
    json.endObject()
    guard json.bytes.count <= BrazeProvider.maximumBodyBytes else {
        throw Refusal(
            .payloadTooLarge, "a request of \(json.bytes.count) bytes is over the limit of \(BrazeProvider.maximumBodyBytes)")
    }
    let notes = leftOut + messages.compactMap { $0.message.note }
    return FittedMessage(json.bytes, note: notes.isEmpty ? nil : notes.joined(separator: "; "))
}

/// The object of each platform, with its name, and a note for each platform that is left out. Each platform has a limit of its own, so one
/// platform may get more of a text than another. Throws the refusal of the first platform if no platform takes the message.
private func brazeMessages(
    of item: OutgoingDelivery, configuration: BrazeConfiguration, now: Timestamp
) throws(Refusal) -> (messages: [(name: String, message: FittedMessage<[UInt8]>)], leftOut: [String]) {
    var messages: [(name: String, message: FittedMessage<[UInt8]>)] = []
    var refusals: [(platform: BrazeConfiguration.Platform, refusal: Refusal)] = []
    for platform in configuration.platforms {
        let variation = configuration.variationIDs[platform]
        do throws(Refusal) {
            let message = try item.fitted { item throws(Refusal) in
                let message = try BrazeMessage(of: item, namesNotification: configuration.perPerson, now: now)
                return switch platform {
                case .ios: message.apple(variation: variation)
                case .android: message.android(variation: variation)
                }
            }
            switch platform {
            case .ios: messages.append(("apple_push", message))
            case .android: messages.append(("android_push", message))
            }
        } catch {
            refusals.append((platform, error))
        }
    }
    if messages.isEmpty, let first = refusals.first { throw first.refusal }
    return (messages, refusals.map { $0.refusal.leavingOut(platform: $0.platform.rawValue) })
}

/// The content of one delivery, as Braze's objects for the platforms.
private struct BrazeMessage {
    /// The most bytes of an `apple_push` object as JSON.
    static let maximumAppleBytes = 1_912
    /// The most bytes of an `android_push` object's texts and of its `extra`, as JSON, together. Braze counts `alert` and `extra`. The title
    /// shares the limit of Google with both.
    static let maximumAndroidBytes = 4_000
    /// In seconds: four weeks, the longest time that Google keeps a message for an Android device.
    static let longestTimeToLive: Int64 = 28 * 86_400

    private let item: OutgoingDelivery
    private let title: String?
    private let body: String?
    private let namesNotification: Bool
    private let now: Timestamp

    init(of item: OutgoingDelivery, namesNotification: Bool, now: Timestamp) throws(Refusal) {
        self.item = item
        (title, body) = (item.title, item.body)
        self.namesNotification = namesNotification
        self.now = now
        guard item.silent || title != nil || body != nil else {
            throw Refusal(.contentMissing, "it has neither a title nor a body, and its type is not silent")
        }
    }

    /// The `apple_push` object.
    func apple(variation: String?) -> SizedMessage<[UInt8]> {
        var json = JSONWriter(capacity: 2_048)
        json.beginObject()
        if item.silent {
            json.member("content-available", true)
            // 5 is Apple's priority for a push that wakes an app and shows nothing. Apple refuses such a push with 10, the default.
            json.member("apns_priority", 5)
        } else {
            json.key("alert")
            json.beginObject()
            if let title { json.member("title", title) }
            if let body { json.member("body", body) }
            json.endObject()
            json.member("sound", "default")
            if let badge = item.badge { json.member("badge", badge) }
            json.member("category", item.category.rawValue)
            if let groupKey = item.groupKey { json.member("notification_group_thread_id", groupKey) }
            if let level = item.interruptionLevel { json.member("interruption_level", level.rawValue) }
        }
        if let id = item.collapseKey(as: .appleCollapseID) { json.member("collapse_id", id) }
        if let expiresAt = item.expiresAt { json.member("expiry", String(expiresAt.rfc3339.prefix(19)) + "Z") }
        json.key("extra")
        json.raw(item.silent ? silentExtra(textOnly: false) : visibleExtra)
        if let variation { json.member("message_variation_id", variation) }
        json.endObject()
        let size = PartSize("the message for iOS", bytes: json.bytes.count, limit: Self.maximumAppleBytes, of: "Braze")
        return SizedMessage(json.bytes, [size])
    }

    /// The `android_push` object. A visible message must have both title and alert. If the delivery has only one text, both members get
    /// that text.
    func android(variation: String?) -> SizedMessage<[UInt8]> {
        let extra = item.silent ? silentExtra(textOnly: true) : visibleExtra
        var json = JSONWriter(capacity: 4_096)
        json.beginObject()
        var bytes = extra.count
        if !item.silent, let alert = body ?? title {
            let texts = [alert, title ?? alert]
            bytes += texts.reduce(0) { $0 + JSON.string($1).serializedBytes.count - 2 }
            json.member("alert", texts[0])
            json.member("title", texts[1])
        } else {
            json.member("send_to_sync", true)
        }
        json.key("extra")
        json.raw(extra)
        if let collapseKey = item.collapseKey(as: .androidKey) { json.member("collapse_key", collapseKey) }
        if let expiresAt = item.expiresAt {
            json.member("time_to_live", min(max(0, (expiresAt - now).components.seconds), Self.longestTimeToLive))
        }
        if !item.silent { json.member("priority", item.category.defaultLane == .urgent ? 1 : 0) }
        if let variation { json.member("message_variation_id", variation) }
        json.endObject()
        let size = PartSize("the texts and extra for Android", bytes: bytes, limit: Self.maximumAndroidBytes, of: "Braze")
        return SizedMessage(json.bytes, [size])
    }

    /// The fields that the app reads beside a visible message. Every value is text; `data` is JSON as text.
    private var visibleExtra: [UInt8] {
        var json = JSONWriter(capacity: 256 + item.data.utf8.count)
        json.beginObject()
        if namesNotification { json.member("id", item.notificationID.description) }
        json.member("type", item.type)
        json.member("category", item.category.rawValue)
        if namesNotification { json.member("createdAt", item.createdAt.rfc3339) }
        json.member("data", item.data)
        json.endObject()
        return json.bytes
    }

    /// The fields that the app reads from a silent message: the type and the fields of the data. On Android each value is text, because
    /// Android carries only text. Braze refuses fields named `ab` and `aps`, so these are left out.
    private func silentExtra(textOnly: Bool) -> [UInt8] {
        var json = JSONWriter(capacity: 256 + item.data.utf8.count)
        json.beginObject()
        json.member("type", item.type)
        for (name, value) in item.dataFields where !["ab", "aps", "type"].contains(name) {
            json.key(name)
            if textOnly { json.string(value.stringValue ?? value.serialized) } else { json.value(value) }
        }
        json.endObject()
        return json.bytes
    }
}
