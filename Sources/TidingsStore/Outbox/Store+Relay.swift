import TidingsCore
import TidingsPostgres

/// An event that a producer enqueued in its own transaction.
public struct EnqueuedEvent: Sendable {
    /// Of the row; the same for every try to publish it.
    public let id: String
    public let type: String
    /// A structured CloudEvent, JSON text.
    public let event: String
}

/// What one turn of the relay came to.
public struct RelayResult: Sendable {
    public var confirmed = 0
    public var failed = 0
    /// As much as a turn may take: there may be more.
    public var isFull = false
}

extension Store {
    /// Hands up to `limit` enqueued events, of no more than `bytes` together and one, to `publish` and deletes those it confirms, in one
    /// transaction: an event whose row is gone was confirmed by the broker. Dying in between publishes it again, and its id makes the second
    /// one a duplicate.
    ///
    /// What failed goes behind everything that was tried less often, so that an event that can never be published holds up no other.
    public func relay(
        limit: Int, bytes: Int, publish: @escaping @Sendable ([EnqueuedEvent]) async -> [Bool]
    ) async throws -> RelayResult {
        try await pool.transaction { connection in
            let rows = try await connection.query(
                """
                select id, type, event from (
                    select picked.*, sum(octet_length(event)) over (order by attempts, created_at, id) - octet_length(event) as bytes_before
                    from (select * from tidings.outgoing order by attempts, created_at limit \(Int64(limit)) for update skip locked) picked
                ) weighed where bytes_before < \(Int64(bytes)) order by attempts, created_at, id
                """
            ).rows.map { try $0.decode((PostgresUUID, String, String).self) }
            guard !rows.isEmpty else { return RelayResult() }
            let results = zip(rows, await publish(rows.map { EnqueuedEvent(id: Self.text($0.0), type: $0.1, event: $0.2) }))
            let confirmed = results.filter(\.1).map(\.0.0)
            let failed = results.filter { !$0.1 }.map(\.0.0)
            _ = try await connection.pipeline([
                "delete from tidings.outgoing where id = any(\(confirmed))",
                "update tidings.outgoing set attempts = attempts + 1 where id = any(\(failed))",
            ])
            let isFull = rows.count == limit || rows.reduce(0) { $0 + $1.2.utf8.count } >= bytes
            return RelayResult(confirmed: confirmed.count, failed: failed.count, isFull: isFull)
        }
    }

    private static func text(_ uuid: PostgresUUID) -> String { NotificationID(uuid).description }
}
