/// What a person has chosen. What they never said is on.
public struct Preferences: Sendable, Hashable {
    public var disabledChannels: Set<Channel>
    public var disabledCategories: Set<Category>
    /// By type name; false is off, true or no entry is on. A type that is on does not bring back its category.
    public var types: [String: Bool]
    public var quietHours: QuietHours?

    public init(
        disabledChannels: Set<Channel> = [],
        disabledCategories: Set<Category> = [],
        types: [String: Bool] = [:],
        quietHours: QuietHours? = nil
    ) {
        self.disabledChannels = disabledChannels
        self.disabledCategories = disabledCategories
        self.types = types
        self.quietHours = quietHours
    }

    /// Nothing disabled, no quiet hours.
    public static let allOn = Preferences()
}
