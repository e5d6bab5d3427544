/// A pause that an operator has set. A delivery under a pause is not sent, and it is neither lost nor failed. When the pause ends, the
/// delivery is judged with the preferences, quiet hours and expiry of that moment.
public struct Pause: Sendable, Hashable {
    /// The property of a delivery that a pause names.
    public enum Scope: String, CaseIterable, Sendable, Hashable {
        case channel, provider, type, tenant
    }

    /// The id of the pause's row in the database. A held delivery stores this id, so that it names the pause it waits for.
    public let id: Int
    public let scope: Scope
    /// A channel, a provider or type of the catalogue, or a tenant.
    public let name: String
    /// The time at which the pause ends by itself. Nil: it ends when an operator resumes it.
    public let until: Timestamp?

    public init(id: Int, scope: Scope, name: String, until: Timestamp? = nil) {
        self.id = id
        self.scope = scope
        self.name = name
        self.until = until
    }

    /// Whether the pause holds deliveries at `now`. False from `until` on.
    public func isInForce(at now: Timestamp) -> Bool {
        until.map { now < $0 } ?? true
    }
}
