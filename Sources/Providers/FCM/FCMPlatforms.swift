import TidingsCore
import TidingsJSON
import TidingsProvider

/// The blocks for one platform, beside the members for all platforms.
extension OutgoingDelivery {
    /// Whether the message wakes a sleeping device. Only messages that a person waits for do: Android throttles an app that wakes devices
    /// too often.
    private var isUrgent: Bool {
        switch category {
        case .transactional, .system: !silent
        case .marketing, .social: false
        }
    }

    /// Writes the block `android`: `collapse_key`, `priority`, `ttl`, and for a visible message `notification` with `tag`, `image` and the
    /// default sound.
    ///
    /// A message takes the place of an earlier message that has the same collapse key and still waits at FCM. A visible message also takes the
    /// place of one that is already shown (`tag`), so a message that was sent twice is shown once. FCM keeps four such keys for an offline
    /// device.
    func writeAndroid(to json: inout JSONWriter, now: Timestamp) {
        json.key("android")
        json.beginObject()
        let collapseKey = self.collapseKey(as: .androidKey)
        if let collapseKey { json.member("collapse_key", collapseKey) }
        json.member("priority", isUrgent ? "high" : "normal")
        if let expiresAt {
            let seconds = min(max(0, (expiresAt - now).components.seconds), FCMLimits.longestLife)
            json.member("ttl", "\(seconds)s")
        }
        if !silent {
            json.key("notification")
            json.beginObject()
            if let collapseKey { json.member("tag", collapseKey) }
            if let imageURL { json.member("image", imageURL) }
            json.member("sound", "default")
            json.endObject()
        }
        json.endObject()
    }

    /// Writes the block `apns`: the headers of Apple's service, the payload as the app gets it, and the image for Firebase's service
    /// extension. Without the header `apns-priority`, FCM would send every message at priority 10. Apple does not allow that for a message
    /// that shows nothing.
    func writeAPNs(_ payload: [UInt8], to json: inout JSONWriter) {
        json.key("apns")
        json.beginObject()
        json.key("headers")
        json.beginObject()
        json.member("apns-priority", silent ? "5" : "10")
        json.member("apns-push-type", silent ? "background" : "alert")
        if let id = collapseKey(as: .appleCollapseID) { json.member("apns-collapse-id", id) }
        if let expiresAt { json.member("apns-expiration", String(max(0, expiresAt.wholeSeconds))) }
        json.endObject()
        json.key("payload")
        json.raw(payload)
        if !silent, let imageURL {
            json.key("fcm_options")
            json.beginObject()
            json.member("image", imageURL)
            json.endObject()
        }
        json.endObject()
    }
}
