import TidingsEncodings
import TidingsJSON

/// The checks of a push beside its provider token. Apple documents no order; the stand-in checks headers, device token and payload.
///
/// The stand-in chooses a reason if Apple documents none:
///
/// - `BadPriority`: a background push of priority 10.
/// - `InvalidPushType`: a payload whose content does not match its push type.
/// - `PayloadEmpty`: a compressed body, or a body that is not a JSON object with `aps`.
struct APNsPushCheck: Sendable {
    /// The most bytes of a payload. A voip payload may be larger.
    static let payloadBytes = (usual: 4_096, voip: 5_120)
    /// The most bytes of a device token. Apple documents no length.
    static let tokenBytes = 200
    /// The year 9999, in seconds since 1970. A later expiration was written in milliseconds.
    static let latestExpiration: Int64 = 253_402_300_799
    private static let pushTypes: Set = [
        "alert", "background", "complication", "controls", "fileprovider", "liveactivity", "location", "mdm", "pushtotalk", "voip",
        "widgets",
    ]

    /// The bytes of the device token as text. Fixed recipients are recognised in this text.
    let recipient: String
    /// The device and the notification: the device token in lower case, and the notification's id. Without an id, the notification's type.
    let id: String

    init(_ request: StandInRequest) throws(APNsFault) {
        guard request.method == "POST" else { throw .methodNotAllowed }
        try Self.check(request.headers)
        let token = try Self.deviceToken(in: request.path)
        let payload = try Self.payload(of: request)
        recipient = String(decoding: token, as: UTF8.self)
        let what = payload["id"]?.stringValue ?? payload["type"]?.stringValue
        id = [Hexadecimal.encode(token), what].compactMap(\.self).joined(separator: " ")
    }

    private static func check(_ headers: [String: String]) throws(APNsFault) {
        if let id = headers["apns-id"], !isID(id) { throw .badMessageID }
        guard let topic = headers["apns-topic"], !topic.isEmpty else { throw .missingTopic }
        guard topic.utf8.allSatisfy({ isDigit($0) || isLetter($0) || ".-_".utf8.contains($0) }) else { throw .badTopic }
        if let id = headers["apns-collapse-id"], !CollapseID.isAccepted(id) { throw .badCollapseID }
        guard let type = headers["apns-push-type"], pushTypes.contains(type) else { throw .invalidPushType }
        let priority = headers["apns-priority"] ?? "10"
        guard ["1", "5", "10"].contains(priority), type != "background" || priority == "5" else { throw .badPriority }
        if let expiration = headers["apns-expiration"] {
            guard expiration.utf8.allSatisfy(isDigit), let seconds = Int64(expiration), seconds <= latestExpiration else {
                throw .badExpirationDate
            }
        }
    }

    /// Returns the device token of `/<token>`, the path below the stand-in's own.
    private static func deviceToken(in path: String) throws(APNsFault) -> [UInt8] {
        let text = path.dropFirst()
        guard !text.isEmpty else { throw .missingDeviceToken }
        guard !text.contains("/") else { throw .badPath }
        guard let token = Hexadecimal.decode(String(text)), token.count <= tokenBytes else { throw .badDeviceToken }
        return token
    }

    private static func payload(of request: StandInRequest) throws(APNsFault) -> JSON {
        let type = request.headers["apns-push-type"]
        guard request.body.count <= (type == "voip" ? payloadBytes.voip : payloadBytes.usual) else { throw .payloadTooLarge }
        guard request.headers["content-encoding"] == nil, let json = try? JSON.parse(request.body), let aps = json["aps"]?.objectValue
        else {
            throw .payloadEmpty
        }
        let shows = ["alert", "badge", "sound"].contains { aps[$0] != nil }
        switch type {
        case "alert": guard shows else { throw .invalidPushType }
        case "background": guard !shows, aps["content-available"] == 1 else { throw .invalidPushType }
        default: break
        }
        return json
    }

    /// Whether the text is a UUID in the form 8-4-4-4-12, in lower case.
    static func isID(_ text: String) -> Bool {
        text.split(separator: "-", omittingEmptySubsequences: false).map(\.utf8.count) == [8, 4, 4, 4, 12]
            && text.utf8.allSatisfy { isDigit($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0) || $0 == UInt8(ascii: "-") }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) }
}
