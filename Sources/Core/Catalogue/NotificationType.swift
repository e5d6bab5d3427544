/// A notification type that the catalogue declares. Its category decides every setting that the type leaves out.
public struct NotificationType: Sendable, Hashable {
    /// The name that clients use: the CloudEvents `type`.
    public var name: String
    public var category: Category
    /// A JSON Schema (draft 2020-12) of `data`, as text. Nil accepts any object.
    public var schemaJSON: String?
    /// The title if the intent gives none. `{{name}}` is replaced by a field of `data`.
    public var titleTemplate: String?
    /// The body if the intent gives none. `{{name}}` is replaced by a field of `data`.
    public var bodyTemplate: String?
    /// The symbol an inbox shows.
    public var icon: String
    /// The colour an inbox shows, lower case.
    public var color: String
    /// The target of a tap. `{{name}}` is replaced by a field of `data`.
    public var deepLink: String?
    /// Takes the place of the category's lane.
    public var lane: Lane?
    /// Takes the place of the category's time to live.
    public var expiry: Duration?
    /// Takes the place of the category's channels.
    public var channels: [Channel]?
    /// Channels for single markets, by market name. In such a market they take the place of `channels`.
    public var channelsByMarket: [String: [Channel]]
    /// Whether the type ignores preferences and quiet hours. A device's permission counts in any case.
    public var mandatory: Bool
    /// Whether an intent may ask for escalation with `critical`.
    public var allowsCritical: Bool
    /// Whether the type shows nothing and only wakes the app to work. A silent type needs a token but no permission, and is exempt from
    /// quiet hours.
    public var silent: Bool
    /// The degree to which a visible notification may disturb. Nil leaves it to the platform.
    public var interruptionLevel: InterruptionLevel?
    /// The name of the module table that intents of this type are written to when they are routed. Nil: none.
    public var projection: String?

    public init(
        name: String,
        category: Category,
        schemaJSON: String? = nil,
        titleTemplate: String? = nil,
        bodyTemplate: String? = nil,
        icon: String = NotificationType.defaultIcon,
        color: String = NotificationType.defaultColor,
        deepLink: String? = nil,
        lane: Lane? = nil,
        expiry: Duration? = nil,
        channels: [Channel]? = nil,
        channelsByMarket: [String: [Channel]] = [:],
        mandatory: Bool = false,
        allowsCritical: Bool = false,
        silent: Bool = false,
        interruptionLevel: InterruptionLevel? = nil,
        projection: String? = nil
    ) {
        self.name = name
        self.category = category
        self.schemaJSON = schemaJSON
        self.titleTemplate = titleTemplate
        self.bodyTemplate = bodyTemplate
        self.icon = icon
        self.color = color
        self.deepLink = deepLink
        self.lane = lane
        self.expiry = expiry
        self.channels = channels
        self.channelsByMarket = channelsByMarket
        self.mandatory = mandatory
        self.allowsCritical = allowsCritical
        self.silent = silent
        self.interruptionLevel = interruptionLevel
        self.projection = projection
    }

    /// The icon of a type that declares none, and of a type that is unknown.
    public static let defaultIcon = "bell.fill"
    /// The colour of a type that declares none, and of a type that is unknown.
    public static let defaultColor = "gray"
}
