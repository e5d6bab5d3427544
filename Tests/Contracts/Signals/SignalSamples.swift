import TidingsContracts
import TidingsCore

extension NotificationID {
    static func numbered(_ number: UInt64) -> NotificationID {
        NotificationID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0000 | number)
    }
}

extension InboxSignal.Kind {
    /// A topic of a module.
    static let likes = InboxSignal.Kind(rawValue: "likes") ?? .inbox
}

extension InboxSignal {
    /// The signal of `schemas/examples/inbox-signal.json`.
    static let sample = InboxSignal(people: [
        Person(tenant: "default", recipient: "ann", new: [.numbered(1), .numbered(2)]),
        Person(tenant: "shop", recipient: "bob", kind: .likes, changed: [.numbered(3)]),
    ])

    static func people(_ count: Int) -> [Person] {
        (0..<count).map { Person(tenant: "default", recipient: "user-\($0)", new: [.numbered(UInt64($0))]) }
    }
}
