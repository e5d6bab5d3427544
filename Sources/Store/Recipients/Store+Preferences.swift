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

extension Store.Recipients {
    /// The preferences of a person. A person whom Tidings has never seen has the defaults.
    public func preferences(of person: RecipientKey) async throws -> StoredPreferences {
        let query: SQL = """
            select time_zone, quiet_start, quiet_end, disabled_channels, disabled_categories, disabled_types, enabled_types
            from tidings.recipients
            where tenant = \(person.tenant) and id = \(person.id)
            """
        return try await store.asPerson(person, .first(query, StoredPreferences.init)) ?? StoredPreferences()
    }

    /// Whether the person has devices and denied notifications on all of them.
    static func deniesNotifications(_ person: RecipientKey) -> Statement<Bool> {
        let query: SQL = """
            select coalesce(bool_and(permission = 'denied'), false) from tidings.endpoints
            where tenant = \(person.tenant) and recipient_id = \(person.id) and channel = 'push' and gone_at is null
            """
        return .value(query)
    }

    /// Whether the person has a device of this id, gone or not.
    public func hasDevice(_ id: String, of person: RecipientKey) async throws -> Bool {
        let query: SQL = """
            select from tidings.endpoints
            where channel = 'push' and tenant = \(person.tenant) and recipient_id = \(person.id) and id = \(id)
            """
        return try await store.asPerson(person, .exists(query))
    }
}

extension StoredPreferences {
    fileprivate init(_ row: PostgresRow) throws {
        timeZone = try row.decode("time_zone")
        let start = try row.decode("quiet_start", as: Int?.self)
        let end = try row.decode("quiet_end", as: Int?.self)
        if let start, let end, start != end { quietHours = QuietHours(startMinute: start, endMinute: end) }
        disabledChannels = Set(try row.decode("disabled_channels", as: [String].self).compactMap(Channel.init(rawValue:)))
        disabledCategories = Set(try row.decode("disabled_categories", as: [String].self).compactMap(Category.init(rawValue:)))
        disabledTypes = Set(try row.decode("disabled_types", as: [String].self))
        enabledTypes = Set(try row.decode("enabled_types", as: [String].self))
    }
}
