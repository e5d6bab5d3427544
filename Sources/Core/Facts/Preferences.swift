/// The choices of a person. Everything that the person has not switched off is on.
public struct Preferences: Sendable, Hashable {
    public var disabledChannels: Set<Channel>
    public var disabledCategories: Set<Category>
    /// Types by name. False is off, true or no entry is on. Switching a type on does not switch its category on.
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
