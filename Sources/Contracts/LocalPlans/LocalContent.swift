import TidingsCore
import TidingsJSON

/// What a local notification shows and carries, as it is stored from the moment it is planned.
public struct LocalContent: Sendable {
    /// `{title, body, sound, userInfo, threadIdentifier}`.
    let members: JSONObject

    /// `userInfo` has the members of the intent's data, and over them the notification's `id`, `type`, `category` and `createdAt`. The app reads
    /// text only: what is no string is JSON-encoded. Nil when there is neither a title nor a body, so that nothing would show.
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

    /// What ``text`` was.
    public init?(stored text: String) {
        guard let members = (try? JSON.parse(text))?.objectValue else { return nil }
        self.members = members
    }

    public var text: String { JSON.object(members).serialized }
}
