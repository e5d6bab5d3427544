/// A word of an open set. A value that this version of the library does not know is kept as it is, so that a newer server breaks no app.
public protocol OpenWord: RawRepresentable, Codable, Hashable, Sendable, CustomStringConvertible where RawValue == String {
    init(rawValue: String)
}

extension OpenWord {
    public var description: String { rawValue }
}

/// A type of notification. Types are declared in the server's catalogue; the constants are the types of the built-in catalogue.
public struct NotificationType: OpenWord {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public static let orderUpdate = Self(rawValue: "orderUpdate")
    public static let promotion = Self(rawValue: "promotion")
    public static let reminder = Self(rawValue: "reminder")
    public static let social = Self(rawValue: "social")
    public static let system = Self(rawValue: "system")

    public static let metadata = Self(rawValue: "metadata")
    public static let downloadReady = Self(rawValue: "downloadReady")

    public static let loanApproved = Self(rawValue: "LOAN_APPROVED")
    public static let loanRejected = Self(rawValue: "LOAN_REJECTED")
    public static let paymentReceived = Self(rawValue: "PAYMENT_RECEIVED")
    public static let paymentDue = Self(rawValue: "PAYMENT_DUE")
    public static let newLender = Self(rawValue: "NEW_LENDER")
    public static let systemUpdate = Self(rawValue: "SYSTEM_UPDATE")

    public static let like = Self(rawValue: "like")
    public static let match = Self(rawValue: "match")
}

/// A category of notifications, which a person may switch off.
public struct NotificationCategory: OpenWord, CaseIterable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public static let transactional = Self(rawValue: "transactional")
    public static let marketing = Self(rawValue: "marketing")
    public static let social = Self(rawValue: "social")
    public static let system = Self(rawValue: "system")

    /// The categories that this version of the library knows.
    public static let allCases: [NotificationCategory] = [.transactional, .marketing, .social, .system]
}

/// A way to reach a person.
public struct NotificationChannel: OpenWord {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public static let push = Self(rawValue: "push")
    public static let local = Self(rawValue: "local")
    public static let inApp = Self(rawValue: "inApp")
    public static let email = Self(rawValue: "email")
    public static let sms = Self(rawValue: "sms")
    public static let webPush = Self(rawValue: "webPush")
    public static let webhook = Self(rawValue: "webhook")
}

/// The state of an item in the inbox.
public struct ItemState: OpenWord {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public static let delivered = Self(rawValue: "delivered")
    public static let read = Self(rawValue: "read")
    /// The person swiped the push away. The item stays listed and no longer counts as unread.
    public static let dismissed = Self(rawValue: "dismissed")
}
