import TidingsPostgres
public import TidingsWire

/// A refused or dead message as it is sent again.
public struct KeptMessage: Sendable {
    public let id: Int64
    public let exchange: String
    public let routingKey: String
    public let contentType: String?
    public let body: [UInt8]
    public let isReplayable: Bool
    /// Where its row stood when it was read.
    public let state: String
}

extension Store {
    public func rejected(state: String?, reason: String?, limit: Int) async throws -> [JSON] {
        try await report(
            """
            select rejected_id, reason_code, pointer, message, source, event_id, type, occurrences, replayable, state, size, last_at
            from tidings_ops.rejected r where (\(state) is null or r.state = \(state)) and (\(reason) is null or r.reason_code = \(reason))
            order by r.rejected_id desc limit \(Int64(limit))
            """)
    }

    /// With the kept bytes as text (`raw`) where they are UTF-8, and as base64 (`raw_base64`) always.
    public func rejected(_ id: Int64) async throws -> JSON? {
        try await report(
            """
            select r.*, k.headers, replace(encode(k.raw, 'base64'), E'\\n', '') as raw_base64, encode(k.sha256, 'hex') as sha256,
                c.meaning, c.what_to_do
            from tidings_ops.rejected r join tidings.rejected k on k.id = r.rejected_id
            left join tidings.reason_codes c on c.code = r.reason_code where r.rejected_id = \(id)
            """
        ).first
    }

    public func keptRejected(_ id: Int64) async throws -> KeptMessage? {
        try await kept("select id, exchange, routing_key, content_type, raw, replayable, state from tidings.rejected where id = \(id)")
    }

    /// False when it was acted on before.
    public func closeRejected(_ id: Int64, as state: String) async throws -> Bool {
        let result = try await pool.query(
            "update tidings.rejected set state = \(state), acted_at = tidings.clock() where id = \(id) and state = 'open' returning id")
        return result.rows.first != nil
    }

    /// Takes back that it was replayed; not when a router has refused it anew meanwhile, which opened it again.
    public func reopenRejected(_ id: Int64) async throws {
        _ = try await pool.query("update tidings.rejected set state = 'open', acted_at = null where id = \(id) and state = 'replayed'")
    }

    func kept(_ query: SQL) async throws -> KeptMessage? {
        guard let row = try await pool.query(query).rows.first else { return nil }
        let (id, exchange, routingKey) = try row.decodeFirst()
        return KeptMessage(
            id: id, exchange: exchange, routingKey: routingKey, contentType: try row.decode(3, as: String?.self),
            body: try row.decode(4, as: [UInt8].self), isReplayable: try row.decode(5, as: Bool.self),
            state: try row.decode(6, as: String.self))
    }
}

extension PostgresRow {
    fileprivate func decodeFirst() throws -> (Int64, String, String) {
        (try decode(0, as: Int64.self), try decode(1, as: String.self), try decode(2, as: String.self))
    }
}
