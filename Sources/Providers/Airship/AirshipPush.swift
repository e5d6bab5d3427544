import TidingsCore
import TidingsJSON
import TidingsProvider

/// The body of `POST /api/push`: one push object alone, or several as an array.
func airshipBody(of pushes: [[UInt8]]) -> [UInt8] {
    if pushes.count == 1 { return pushes[0] }
    var json = JSONWriter(capacity: 2 + pushes.reduce(0) { $0 + $1.count + 1 })
    json.beginArray()
    for push in pushes { json.raw(push) }
    json.endArray()
    return json.bytes
}

/// The push object of one delivery. Its audience is the named user of the recipient, on each platform that can take the push. The platforms
/// share one alert. If the push is too large for a platform, its texts are shortened for all. A platform that takes not even the shortest
/// texts is left out. Throws if no platform is left.
func airshipPush(
    of item: OutgoingDelivery, platforms: [AirshipConfiguration.Platform], now: Timestamp
) throws(Refusal) -> FittedMessage<[UInt8]> {
    // Leave out the web for a silent push: a browser shows a notification for every push.
    let platforms = item.silent ? platforms.filter { $0 != .web } : platforms
    guard !platforms.isEmpty else { throw Refusal(.providerRejected, "it is silent, and no platform but web is set") }
    do throws(Refusal) {
        return try fittedPush(of: item, on: platforms, now: now)
    } catch {
        // A platform that takes the push alone takes it beside others: its object and the alert have the same sizes there.
        var taking: [AirshipConfiguration.Platform] = []
        var notes: [String] = []
        for platform in platforms {
            do throws(Refusal) {
                _ = try fittedPush(of: item, on: [platform], now: now)
                taking.append(platform)
            } catch {
                notes.append(error.leavingOut(platform: platform.rawValue))
            }
        }
        guard !taking.isEmpty else { throw error }
        let push = try fittedPush(of: item, on: taking, now: now)
        return FittedMessage(push.message, note: (notes + [push.note].compactMap(\.self)).joined(separator: "; "))
    }
}

private func fittedPush(
    of item: OutgoingDelivery, on platforms: [AirshipConfiguration.Platform], now: Timestamp
) throws(Refusal) -> FittedMessage<[UInt8]> {
    try item.fitted { item throws(Refusal) in
        try push(AirshipNotification(of: item, now: now), to: item.recipient, on: platforms)
    }
}

private func push(
    _ notification: AirshipNotification, to recipient: String, on platforms: [AirshipConfiguration.Platform]
) -> SizedMessage<[UInt8]> {
    var sizes: [PartSize] = []
    var json = JSONWriter(capacity: 4_096)
    json.beginObject()
    json.key("audience")
    json.beginObject()
    json.member("named_user", recipient)
    json.endObject()
    json.key("device_types")
    json.beginArray()
    for platform in platforms { json.string(platform.rawValue) }
    json.endArray()
    json.key("notification")
    json.beginObject()
    if let alert = notification.alert { json.member("alert", alert) }
    for platform in platforms {
        json.key(platform.rawValue)
        let object: [UInt8]
        switch platform {
        case .ios:
            object = notification.ios()
            sizes.append(notification.size(of: object, "the notification for iOS", limitedBy: "Apple"))
        case .android:
            object = notification.android()
            sizes.append(notification.size(of: object, "the notification for Android", limitedBy: "Google"))
        case .web: object = notification.web()
        }
        json.raw(object)
    }
    json.endObject()
    json.endObject()
    return SizedMessage(json.bytes, sizes)
}

/// The content of one delivery, as the objects of the platforms.
private struct AirshipNotification {
    /// In bytes: the most of the alert and the object of a platform together, as JSON. This is the limit of Apple and of Google; Airship
    /// documents no smaller one.
    static let maximumBytes = 4_096
    /// In seconds: four weeks, the longest time that Google keeps a message for an Android device.
    static let longestTimeToLive: Int64 = 28 * 86_400

    /// The text that every platform shows: the body, or the title if there is no body. Nil for a silent push.
    let alert: String?
    private let title: String?
    private let item: OutgoingDelivery
    private let now: Timestamp

    init(of item: OutgoingDelivery, now: Timestamp) throws(Refusal) {
        let (title, body) = (item.title, item.body)
        guard item.silent || title != nil || body != nil else {
            throw Refusal(.contentMissing, "it has neither a title nor a body, and its type is not silent")
        }
        self.item = item
        self.now = now
        alert = item.silent ? nil : body ?? title
        self.title = item.silent || body == nil ? nil : title
    }

    /// The size of the alert and an object, as JSON.
    func size(of object: [UInt8], _ part: String, limitedBy service: String) -> PartSize {
        let alert = alert.map { JSON.string($0).serializedBytes.count } ?? 0
        return PartSize(part, bytes: alert + object.count, limit: Self.maximumBytes, of: service)
    }

    func ios() -> [UInt8] {
        var json = JSONWriter(capacity: 2_048)
        json.beginObject()
        if item.silent {
            json.member("content-available", 1)
            // 5 is Apple's priority for a push that wakes an app and shows nothing. Apple refuses such a push with 10, the default.
            json.member("priority", 5)
        } else {
            if let title { json.member("title", title) }
            if let badge = item.badge { json.member("badge", badge) }
            json.member("sound", "default")
            json.member("category", item.category.rawValue)
            if let groupKey = item.groupKey { json.member("thread_id", groupKey) }
            if let level = item.interruptionLevel { json.member("interruption_level", level.rawValue) }
        }
        if let id = item.collapseKey(as: .appleCollapseID) { json.member("collapse_id", id) }
        if let expiresAt = item.expiresAt { json.member("expiry", String(expiresAt.rfc3339.prefix(19))) }
        writeExtra(to: &json)
        json.endObject()
        return json.bytes
    }

    func android() -> [UInt8] {
        var json = JSONWriter(capacity: 2_048)
        json.beginObject()
        if let title { json.member("title", title) }
        if let collapseKey = item.collapseKey(as: .androidKey) {
            // The key replaces a push that still waits at Google, the tag a notification that is already shown.
            json.member("collapse_key", collapseKey)
            if !item.silent { json.member("notification_tag", collapseKey) }
        }
        writeTimeToLive(to: &json)
        json.member("delivery_priority", !item.silent && item.category.defaultLane == .urgent ? "high" : "normal")
        writeExtra(to: &json)
        json.endObject()
        return json.bytes
    }

    func web() -> [UInt8] {
        var json = JSONWriter(capacity: 1_024)
        json.beginObject()
        if let title { json.member("title", title) }
        writeTimeToLive(to: &json)
        writeExtra(to: &json)
        json.endObject()
        return json.bytes
    }

    /// Writes the fields that the app reads. Every value is text, because Android takes only text.
    ///
    /// A visible push has `id`, `type`, `category`, `createdAt`, and `data` as JSON text. A silent push has `type` and the fields of the
    /// data.
    private func writeExtra(to json: inout JSONWriter) {
        json.key("extra")
        json.beginObject()
        if item.silent {
            json.member("type", item.type)
            // `aps` is Apple's own: on the device, the fields of `extra` are beside `aps`.
            for (name, text) in item.dataTexts where !["aps", "type"].contains(name) { json.member(name, text) }
        } else {
            json.member("id", item.notificationID.description)
            json.member("type", item.type)
            json.member("category", item.category.rawValue)
            json.member("createdAt", item.createdAt.rfc3339)
            json.member("data", item.data)
        }
        json.endObject()
    }

    private func writeTimeToLive(to json: inout JSONWriter) {
        guard let expiresAt = item.expiresAt else { return }
        json.member("time_to_live", min(max(0, (expiresAt - now).components.seconds), Self.longestTimeToLive))
    }
}
