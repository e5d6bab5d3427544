public import TidingsContracts
public import TidingsCore
import TidingsPostgres

/// A request for the ids of intents before they go to the broker.
public struct ReservationRequest: Sendable {
    /// The intents of every event of the request, in order.
    public let intents: [DecodedIntent]
    /// The header `Idempotency-Key` of the request. Nil if it had none.
    public let named: NamedRequest?

    public init(_ intents: [DecodedIntent], named: NamedRequest? = nil) {
        self.intents = intents
        self.named = named
    }
}

/// A request that its caller has named.
public struct NamedRequest: Sendable, Hashable {
    /// The id of the API key. Names of different keys are different requests.
    public let caller: String
    /// Printable ASCII.
    public let key: String
    /// The digest of the request. The same name with another digest is a mistake of the caller.
    public let fingerprint: [UInt8]

    public init(caller: String, key: String, fingerprint: [UInt8]) {
        self.caller = caller
        self.key = key
        self.fingerprint = fingerprint
    }
}

extension NamedRequest {
    /// The name without the digest. Names are compared byte by byte in the database, so a name is ASCII.
    struct Name: Hashable, Comparable, Sendable {
        let caller: String
        let key: String

        init(caller: String, key: String) { (self.caller, self.key) = (caller, key) }

        init(_ row: PostgresRow) throws { (caller, key) = (try row.decode("caller"), try row.decode("key")) }

        static let columns: [Column<Name>] = [Column("caller", \.caller), Column("key", \.key)]

        static func < (left: Name, right: Name) -> Bool { (left.caller, left.key) < (right.caller, right.key) }
    }

    var name: Name { Name(caller: caller, key: key) }
}

/// The answer to a request for ids. After a refusal nothing of the request is kept.
public enum ReservationAnswer: Sendable, Hashable {
    /// One id for each intent, in order. An intent that was asked for before keeps its id.
    case reserved([NotificationID])
    /// The intent at `position` was asked for before with other content, as the notification `existing`.
    case conflict(position: Int, existing: NotificationID)
    /// The name of the request was used for another request.
    case nameReused
}
