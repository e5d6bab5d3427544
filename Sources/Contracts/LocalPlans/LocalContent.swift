import TidingsCore
import TidingsJSON

/// The content of a local notification. It is stored from the moment the notification is planned.
public struct LocalContent: Sendable {
    /// `{title, body, sound, userInfo, threadIdentifier}`.
    let members: JSONObject

    /// Makes the content of an entry. Nil when there is neither a title nor a body, because then nothing would be shown.
    ///
    /// `userInfo` has the members of the intent's data. The notification's `id`, `type`, `category` and `createdAt` replace members of the
    /// same name. The app reads only text, so every other value is encoded as JSON.
    public init?(_ entry: PackEntry) {
        let (title, body) = (entry.title ?? "", entry.body ?? "")
        guard !title.isEmpty || !body.isEmpty else { return nil }
        var userInfo = JSONObject()
        for member in (try? JSON.parse(entry.data))?.objectValue?.entries ?? [] {
            userInfo[member.key] = .string(member.value.stringValue ?? member.value.serialized)
        }
        userInfo["id"] = .string(entry.notificationID.description)
        userInfo["type"] = .string(entry.type)
        userInfo["category"] = .string(entry.category.rawValue)
        userInfo["createdAt"] = .string(entry.createdAt.rfc3339)
        var members = JSONObject()
        members["title"] = .string(title)
        members["body"] = .string(body)
        members["sound"] = "default"
        members["userInfo"] = .object(userInfo)
        members["threadIdentifier"] = .string(entry.groupKey ?? "")
        self.members = members
    }

    /// Reads a stored ``text``.
    public init?(stored text: String) {
        guard let members = (try? JSON.parse(text))?.objectValue else { return nil }
        self.members = members
    }

    public var text: String { JSON.object(members).serialized }
}
