import TidingsJSON

/// FCM's error for a message that it refused: `{"error": {"message", "status", "details": [{"@type", …}]}}`. Every member may be absent.
struct FCMError: Sendable, Hashable {
    var message: String?
    /// The status of google.rpc.Code: `NOT_FOUND`.
    var status: String?
    /// FCM's own code, the most exact of the three: `UNREGISTERED`.
    var code: String?
    /// Whether the error has a detail of type google.rpc.BadRequest. If true, FCM refuses the request, not the device.
    var isBadRequest = false
    /// The violations, each as `field: description`.
    var violations: [String] = []

    /// Reads a body of any form. Absent members stay nil.
    init(body: [UInt8]) {
        guard let error = (try? JSON.parse(leniently: body))?["error"] else { return }
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

    /// Whether FCM says, in its own words, that it never issued the token. With ``isBadRequest`` the same words would be about a field.
    var saysTokenIsInvalid: Bool {
        guard let message = message?.lowercased(), !isBadRequest else { return false }
        return message.contains("registration token") && message.contains("not a valid")
    }

    /// The error in words, for an operator; nil if it says nothing.
    var words: String? {
        let parts = [code ?? status, message].compactMap(\.self) + violations
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }
}
