import TidingsContracts
import TidingsCore
import TidingsPostgres

extension NotificationID {
    var uuid: PostgresUUID { PostgresUUID(high: high, low: low) }

    init(_ uuid: PostgresUUID) { self.init(high: uuid.high, low: uuid.low) }
}

extension Digest128 {
    var uuid: PostgresUUID { PostgresUUID(high: high, low: low) }

    init(_ uuid: PostgresUUID) { self.init(high: uuid.high, low: uuid.low) }
}

extension Timestamp {
    /// `distantFuture` becomes PostgreSQL's infinity, so that a row that never becomes due by itself sorts last in an index.
    var timestamptz: PostgresTimestamp { self == .distantFuture ? .infinity : PostgresTimestamp(microseconds: microseconds) }

    init(_ timestamptz: PostgresTimestamp) {
        self = timestamptz == .infinity ? .distantFuture : Timestamp(microseconds: timestamptz.microseconds)
    }
}

extension Sequence where Element == NotificationID {
    var uuids: [PostgresUUID] { map(\.uuid) }
}
