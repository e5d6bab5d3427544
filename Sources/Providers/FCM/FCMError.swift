import TidingsJSON

/// What FCM says of a message it did not take: `{"error": {"message", "status", "details": [{"@type", …}]}}`, any of it absent.
struct FCMError: Sendable, Hashable {
    var message: String?
    /// Of google.rpc.Code: `NOT_FOUND`.
    var status: String?
    /// FCM's own, the most exact of the three: `UNREGISTERED`.
    var code: String?
    /// A detail of type google.rpc.BadRequest: FCM found fault with the request, not with the device.
    var isBadRequest = false
    /// `field: description` of each.
    var violations: [String] = []

    /// What is not there stays nil, whatever the body is.
    init(body: [UInt8]) {
        guard let error = (try? JSON.parse(body))?["error"] else { return }
        message = error["message"]?.stringValue
        status = error["status"]?.stringValue
        for detail in error["details"]?.arrayValue ?? [] {
            let type = detail["@type"]?.stringValue ?? ""
            if type.hasSuffix("/google.firebase.fcm.v1.FcmError") { code = detail["errorCode"]?.stringValue }
            guard type.hasSuffix("/google.rpc.BadRequest") else { continue }
            isBadRequest = true
            violations += (detail["fieldViolations"]?.arrayValue ?? []).map { violation in
                [violation["field"], violation["description"]].compactMap { $0?.stringValue }.joined(separator: ": ")
            }
        }
    }

    /// FCM's words for a token that it never issued. With ``isBadRequest`` they would be about a field.
    var saysTokenIsInvalid: Bool {
        guard let message = message?.lowercased(), !isBadRequest else { return false }
        return message.contains("registration token") && message.contains("not a valid")
    }

    /// For an operator; nil when it says nothing.
    var words: String? {
        let parts = [code ?? status, message].compactMap(\.self) + violations
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }
}
