/// Everything that is paused. A value, read as a whole: a decision is made with one of them.
public struct Pauses: Sendable, Hashable {
    /// Pauses in force at once. Each role keeps all of them and reads them twice a second; an operator who needs more wants another catalogue.
    public static let limit = 1_000

    public static let none = Pauses([])

    private let byScope: [Pause.Scope: [String: Pause]]

    /// Of two pauses of the same thing the later in the list counts.
    public init(_ pauses: [Pause]) {
        byScope = pauses.reduce(into: [:]) { $0[$1.scope, default: [:]][$1.name] = $1 }
    }

    /// In no order.
    public var all: [Pause] { byScope.values.flatMap(\.values) }

    public var isEmpty: Bool { byScope.isEmpty }

    /// The pause that holds a delivery, or nil when it may go out. When several do, the one that lasts longest, so that a delivery is not
    /// taken up only to be put down again.
    public func holding(channel: Channel, provider: String, type: String, tenant: String, at now: Timestamp) -> Pause? {
        guard !isEmpty else { return nil }
        return [
            byScope[.channel]?[channel.rawValue], byScope[.provider]?[provider], byScope[.type]?[type], byScope[.tenant]?[tenant],
        ]
        .compactMap(\.self).filter { $0.isInForce(at: now) }
        .max { ($0.until ?? .distantFuture, $1.id) < ($1.until ?? .distantFuture, $0.id) }
    }
}
