import TidingsCore
import TidingsJSON
import TidingsProvider

/// What one platform needs beside what all share.
extension OutgoingDelivery {
    /// Wakes a sleeping device: only for what a person waits for, as Android holds back an app that overdoes it.
    private var isUrgent: Bool {
        switch category {
        case .transactional, .system: !silent
        case .marketing, .social: false
        }
    }

    /// `collapse_key`, `priority`, `ttl`, and for what is shown `notification` with `tag` and the default sound. A message replaces an earlier
    /// one with its collapse key, waiting or shown, which also hides a repetition; FCM keeps four such keys for a device that is offline.
    func writeAndroid(to json: inout JSONWriter, now: Timestamp) {
        json.key("android")
        json.beginObject()
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
            json.member("sound", "default")
            json.endObject()
        }
        json.endObject()
    }

    /// The headers of Apple's service and the payload as it arrives. FCM would send every message at priority 10, which Apple does not allow
    /// for one that shows nothing.
    func writeAPNs(to json: inout JSONWriter) {
        json.key("apns")
        json.beginObject()
        json.key("headers")
        json.beginObject()
        json.member("apns-priority", silent ? "5" : "10")
        json.member("apns-push-type", silent ? "background" : "alert")
        if let collapseKey, collapseKey.utf8.count <= FCMLimits.collapseIDBytes { json.member("apns-collapse-id", collapseKey) }
        if let expiresAt { json.member("apns-expiration", String(max(0, expiresAt.wholeSeconds))) }
        json.endObject()
        json.key("payload")
        writeApplePayload(to: &json)
        json.endObject()
    }
}
