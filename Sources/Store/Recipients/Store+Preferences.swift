public import TidingsCore
import TidingsPostgres

/// A person's preferences as stored. Everything that is not named is on.
public struct StoredPreferences: Sendable, Hashable {
    /// IANA name.
    public var timeZone = "UTC"
    public var quietHours: QuietHours?
    public var disabledChannels: Set<Channel> = []
    public var disabledCategories: Set<Category> = []
    public var disabledTypes: Set<String> = []
    /// Types that the person switched on. They are on without that too; the choice is only remembered.
    public var enabledTypes: Set<String> = []
}

extension Store {
    /// The preferences of a person. A person whom Tidings has never seen has the defaults.
    public func preferences(of person: RecipientKey) async throws -> StoredPreferences {
        let statement: SQL = """
            select time_zone, quiet_start, quiet_end, disabled_channels, disabled_categories, disabled_types, enabled_types
            from tidings.recipients
            where tenant = \(person.tenant) and id = \(person.id)
            """
        guard let row = try await asPerson(person, [statement])[0].rows.first else { return StoredPreferences() }
        let (zone, start, end, channels, categories, types, enabled) =
            try row.decode((String, Int?, Int?, [String], [String], [String], [String]).self)
        var stored = StoredPreferences()
        stored.timeZone = zone
        if let start, let end, start != end { stored.quietHours = QuietHours(startMinute: start, endMinute: end) }
        stored.disabledChannels = Set(channels.compactMap(Channel.init(rawValue:)))
        stored.disabledCategories = Set(categories.compactMap(Category.init(rawValue:)))
        stored.disabledTypes = Set(types)
        stored.enabledTypes = Set(enabled)
        return stored
    }

    /// Whether the person has devices and denied notifications on all of them. One row.
    static func deniesNotifications(_ person: RecipientKey) -> SQL {
        """
        select coalesce(bool_and(permission = 'denied'), false) from tidings.endpoints
        where tenant = \(person.tenant) and recipient_id = \(person.id) and channel = 'push' and gone_at is null
        """
    }

    /// Whether the person has a device of this id, gone or not.
    public func hasDevice(_ id: String, of person: RecipientKey) async throws -> Bool {
        let statement: SQL = """
            select from tidings.endpoints
            where channel = 'push' and tenant = \(person.tenant) and recipient_id = \(person.id) and id = \(id)
            """
        return try await !asPerson(person, [statement])[0].rows.isEmpty
    }
}
