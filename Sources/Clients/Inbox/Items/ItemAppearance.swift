/// The colour of an item's icon, by its name in lower case.
public struct ItemColor: OpenWord {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public static let green = Self(rawValue: "green")
    public static let red = Self(rawValue: "red")
    public static let orange = Self(rawValue: "orange")
    public static let blue = Self(rawValue: "blue")
    public static let gray = Self(rawValue: "gray")
}

/// The icon and the colour of a type. The server sends both with each item. The table is for an item without them, such as a push.
public struct ItemAppearance: Sendable, Hashable {
    /// The name of an SF Symbol.
    public let icon: String
    public let color: ItemColor

    public init(icon: String, color: ItemColor) {
        self.icon = icon
        self.color = color
    }

    /// The appearance of a type without an icon of its own.
    public static let standard = ItemAppearance(icon: "bell.fill", color: .gray)
}

extension NotificationType {
    /// The appearance in the built-in catalogue. ``ItemAppearance/standard`` for every other type.
    public var appearance: ItemAppearance {
        switch self {
        case .loanApproved: ItemAppearance(icon: "checkmark.circle.fill", color: .green)
        case .loanRejected: ItemAppearance(icon: "xmark.circle.fill", color: .red)
        case .paymentReceived: ItemAppearance(icon: "arrow.down.circle.fill", color: .green)
        case .paymentDue: ItemAppearance(icon: "exclamationmark.circle.fill", color: .orange)
        case .newLender: ItemAppearance(icon: "person.circle.fill", color: .blue)
        case .systemUpdate: ItemAppearance(icon: "info.circle.fill", color: .gray)
        default: .standard
        }
    }
}
