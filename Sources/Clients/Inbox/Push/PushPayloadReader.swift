import Foundation

/// Reads the members of one payload.
struct PushPayloadReader {
    let members: [String: Any]

    private var type: String? { Self.text(members["type"]) }
    private var aps: [String: Any]? { members["aps"] as? [String: Any] }

    var payload: PushPayload {
        guard members.contains(where: { $0.key != "aps" }) else { return .unknown(UnknownPayload(reason: .missing)) }
        guard let type else { return malformed("type") }
        if aps?["alert"] != nil { return visible(type) }
        switch type {
        case NotificationType.metadata.rawValue: return metadata
        case NotificationType.downloadReady.rawValue: return downloadReady
        case "localPlan": return .localPlanChanged
        default:
            // A local notification has no `aps`, and the fields of a visible push.
            if aps == nil, Self.text(members["id"]) != nil { return visible(type) }
            return .unknown(UnknownPayload(reason: .unknownType, type: type))
        }
    }

    private func malformed(_ member: String) -> PushPayload {
        .unknown(UnknownPayload(reason: .malformed, type: type, member: member))
    }

    private var metadata: PushPayload {
        guard let file = members["file"] as? [String: Any] else { return malformed("file") }
        guard let fileId = Self.text(file["fileId"]) else { return malformed("file.fileId") }
        guard let key = Self.text(file["key"]) else { return malformed("file.key") }
        var metadata = FileMetadata(fileId: fileId, key: key)
        if let title = Self.present(file["title"]) {
            guard let text = title as? String else { return malformed("file.title") }
            metadata.title = text
        }
        if let date = Self.present(file["publishDate"]) {
            guard let text = date as? String, Self.isDay(text) else { return malformed("file.publishDate") }
            metadata.publishDate = text
        }
        if let size = Self.present(file["size"]) {
            guard let bytes = Self.integer(size) else { return malformed("file.size") }
            metadata.size = bytes
        }
        if let address = Self.present(file["url"]) {
            guard let url = (address as? String).flatMap(URL.init(string:)), url.scheme != nil else {
                return malformed("file.url")
            }
            metadata.url = url
        }
        return .metadata(metadata)
    }

    private var downloadReady: PushPayload {
        guard let fileId = Self.text(members["fileId"]) else { return malformed("fileId") }
        guard let url = Self.text(members["url"]).flatMap(URL.init(string:)), url.scheme?.lowercased() == "https",
            url.host()?.isEmpty == false
        else { return malformed("url") }
        return .downloadReady(Download(fileId: fileId, url: url))
    }

    /// A visible push has its data in `data`. A local notification has it beside the other fields.
    private func visible(_ type: String) -> PushPayload {
        guard let id = Self.text(members["id"]) else { return malformed("id") }
        var push = VisiblePush(
            id: id, type: NotificationType(rawValue: type),
            category: NotificationCategory(rawValue: Self.text(members["category"]) ?? "system"),
            createdAt: Self.text(members["createdAt"]).flatMap(ServerDate.date))
        if let data = Self.present(members["data"]) as? [String: Any] {
            push.data = data.compactMapValues { $0 as? String }
        } else {
            let own: Set = ["aps", "id", "type", "category", "createdAt", "imageURL"]
            push.data = members.filter { !own.contains($0.key) }.compactMapValues { $0 as? String }
        }
        if let alert = aps?["alert"] as? [String: Any] {
            push.title = alert["title"] as? String
            push.body = alert["body"] as? String
        } else {
            push.body = aps?["alert"] as? String
        }
        push.badge = aps.flatMap { Self.integer($0["badge"]) }.flatMap { Int(exactly: $0) }
        push.threadIdentifier = aps?["thread-id"] as? String
        push.imageURL = Self.text(members["imageURL"]).flatMap(URL.init(string:))
        return .visible(push)
    }

    /// Text that is not empty.
    private static func text(_ value: Any?) -> String? {
        guard let text = value as? String, !text.isEmpty else { return nil }
        return text
    }

    /// The value, unless it is missing or null.
    private static func present(_ value: Any?) -> Any? {
        guard let value, !(value is NSNull) else { return nil }
        return value
    }

    /// A whole number. A boolean of JSON is none, although the platform bridges it to a number.
    private static func integer(_ value: Any?) -> Int64? {
        if let number = value as? NSNumber {
            guard String(cString: number.objCType) != "c", !(value is Bool && String(describing: number).count > 1) else { return nil }
            return Int64(exactly: number.doubleValue)
        }
        if value is Bool { return nil }
        return (value as? Int).map(Int64.init) ?? value as? Int64
    }

    private static func isDay(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.count) == [4, 2, 2], text.utf8.allSatisfy({ $0 == 45 || (48...57).contains($0) }) else { return false }
        guard let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2]), (1...12).contains(month) else { return false }
        let leaps = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
        let days = [31, leaps ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        return (1...days[month - 1]).contains(day)
    }
}
