/// Something an operator has stopped for a while. Nothing of it goes out, nothing of it is lost or fails, and when the pause ends what waits
/// goes on, judged with the preferences, quiet hours and expiry of that moment.
public struct Pause: Sendable, Hashable {
    /// What of a delivery a pause names.
    public enum Scope: String, CaseIterable, Sendable, Hashable {
        case channel, provider, type, tenant
    }

    /// Of its row in the database: what it holds names it, so that a delivery knows which pause it waits for.
    public let id: Int
    public let scope: Scope
    /// A channel, a provider or type of the catalogue, or a tenant.
    public let name: String
    /// When it ends by itself; nil: when somebody resumes it.
    public let until: Timestamp?

    public init(id: Int, scope: Scope, name: String, until: Timestamp? = nil) {
        self.id = id
        self.scope = scope
        self.name = name
        self.until = until
    }

    /// False from `until` on.
    public func isInForce(at now: Timestamp) -> Bool {
        until.map { now < $0 } ?? true
    }
}
