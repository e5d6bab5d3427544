import TidingsCore
import TidingsJSON

/// The operations of the HTTP API that a key may allow.
public enum APIScope: String, Sendable, CaseIterable {
    case intentsWrite = "intents:write"
    case notificationsRead = "notifications:read"
    case notificationsCancel = "notifications:cancel"
    case recipientsRead = "recipients:read"
    /// Together with ``recipientsRead``: tokens and other addresses of people come whole.
    case recipientsAddresses = "recipients:addresses"
    case recipientsWrite = "recipients:write"
    case recipientsExport = "recipients:export"
    case recipientsErase = "recipients:erase"
    /// Changes of the places beside devices to which messages of people go.
    case addressesWrite = "addresses:write"
}

/// A key that was verified, with its rights.
public struct CallerKey: Sendable, Hashable {
    public let id: String
    public let name: String
    /// The tenant that the key may name. Nil: every tenant.
    public let tenant: String?
    public let scopes: Set<APIScope>

    public init(id: String, name: String, tenant: String?, scopes: Set<APIScope>) {
        self.id = id
        self.name = name
        self.tenant = tenant
        self.scopes = scopes
    }

    public func allows(_ scope: APIScope) -> Bool { scopes.contains(scope) }

    public func allows(tenant: String) -> Bool { self.tenant.map { isSameText($0, tenant) } ?? true }

    /// The producer of the events that come with the key, as the catalogue and refused events name it.
    public var producer: String { ProducerEntry.keyPrefix + name }
}
