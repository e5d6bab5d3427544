/// All pauses as one value. A decision uses one such value, so it sees one consistent state.
public struct Pauses: Sendable, Hashable {
    /// The largest number of pauses in force at once. Each role keeps all of them and reads them twice a second. An operator who needs more
    /// should change the catalogue instead.
    public static let limit = 1_000

    public static let none = Pauses([])

    private let byScope: [Pause.Scope: [String: Pause]]

    /// If two pauses stop the same thing, the later one in the list counts.
    public init(_ pauses: [Pause]) {
        byScope = pauses.reduce(into: [:]) { $0[$1.scope, default: [:]][$1.name] = $1 }
    }

    /// All pauses, in no order.
    public var all: [Pause] { byScope.values.flatMap(\.values) }

    public var isEmpty: Bool { byScope.isEmpty }

    /// Returns the pause that holds a delivery, or nil when the delivery may be sent. If several pauses hold it, returns the one that lasts
    /// longest. Otherwise the delivery would be released only to be held again.
    public func holding(channel: Channel, provider: String, type: String, tenant: String, at now: Timestamp) -> Pause? {
        guard !isEmpty else { return nil }
        return [
            byScope[.channel]?[channel.rawValue], byScope[.provider]?[provider], byScope[.type]?[type], byScope[.tenant]?[tenant],
        ]
        .compactMap(\.self).filter { $0.isInForce(at: now) }
        .max { ($0.until ?? .distantFuture, $1.id) < ($1.until ?? .distantFuture, $0.id) }
    }
}
