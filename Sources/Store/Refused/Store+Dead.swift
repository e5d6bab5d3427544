import TidingsContracts
public import TidingsCore
public import TidingsJSON
import TidingsPostgres

/// A message that came out of the suspect queue.
public struct DeadMessage: Sendable {
    public var queue: String
    public var reason: ReasonCode
    public var message: String
    public var deaths: Int
    public var exchange: String
    public var routingKey: String
    public var contentType: String?
    public var headers: String
    public var body: [UInt8]
    /// The publisher, if somebody has vouched for it.
    public var producer: String?

    public init(
        queue: String, reason: ReasonCode, message: String, deaths: Int, exchange: String, routingKey: String, contentType: String?,
        headers: String, body: [UInt8], producer: String? = nil
    ) {
        self.queue = queue
        self.reason = reason
        self.message = message
        self.deaths = deaths
        self.exchange = exchange
        self.routingKey = routingKey
        self.contentType = contentType
        self.headers = headers
        self.body = body
        self.producer = producer
    }

    /// The same bytes out of the same queue.
    var fingerprint: Digest128 { Digest128(hashing: Array(queue.utf8) + [0] + body) }
}

extension Store {
    /// Keeps a suspect before it is tried. Answers the row's earlier state, so that one that was being tried when its worker died is
    /// recognised, and how often these bytes were set aside since they were last processed, this time included.
    public func keepDead(_ message: DeadMessage, state: String) async throws -> (id: Int64, earlierState: String?, deaths: Int) {
        let result = try await pool.query(
            """
            with earlier as (select state from tidings.dead where fingerprint = \(message.fingerprint.uuid))
            insert into tidings.dead as kept (fingerprint, at, queue, reason, message, deaths, exchange, routing_key, content_type, headers,
                raw, size, state, producer)
            values (\(message.fingerprint.uuid), tidings.clock(), \(message.queue), \(message.reason.rawValue), \(storable(message.message)),
                \(Int64(message.deaths)), \(storable(message.exchange)), \(storable(message.routingKey)), \(storable(message.contentType)),
                \(message.headers),
                \(message.body), \(Int32(clamping: message.body.count)), \(state), \(storable(message.producer)))
            on conflict (fingerprint) do update set state = excluded.state, at = excluded.at, producer = excluded.producer,
                deaths = excluded.deaths + case when kept.state = 'resolved' then 0 else kept.deaths end
            returning id, (select state from earlier) as earlier_state, deaths
            """)
        guard let row = result.rows.first else { throw PostgresError.decoding("the dead letter's id is missing") }
        return try row.decode((Int64, String?, Int).self)
    }

    /// Moves a dead letter on; false when it is not in one of the states `from`.
    public func moveDead(_ id: Int64, from states: [String], to state: String) async throws -> Bool {
        let result = try await pool.query(
            """
            update tidings.dead set state = \(state), acted_at = tidings.clock() where id = \(id) and state = any(\(states)) returning id
            """)
        return result.rows.first != nil
    }

    /// Keeps a suspect that is no pack for an operator: nothing that reads it knows which deliveries it stands for.
    public func keepUndecodable(_ id: Int64, because problem: String) async throws {
        _ = try await pool.query(
            """
            update tidings.dead set state = 'open', reason = \(ReasonCode.undecodablePack.rawValue), message = \(storable(problem)), acted_at = null
            where id = \(id) and state = 'trying'
            """)
    }

    public func dead(state: String?, reason: String?, limit: Int) async throws -> [JSON] {
        try await report(
            """
            select * from tidings_ops.dead_letters d where (\(state) is null or d.state = \(state))
                and (\(reason) is null or d.reason_code = \(reason)) order by d.dead_id desc limit \(Int64(limit))
            """)
    }

    /// With the kept bytes as text (`raw`) where they are UTF-8, and as base64 (`raw_base64`) always.
    public func dead(_ id: Int64) async throws -> JSON? {
        try await report(
            """
            select d.*, k.producer, k.headers, replace(encode(k.raw, 'base64'), E'\\n', '') as raw_base64
            from tidings_ops.dead_letters d join tidings.dead k on k.id = d.dead_id where d.dead_id = \(id)
            """,
            ifAllowedElse: """
                select d.*, 'bytes and headers: only a member of tidings_run reads them' as withheld
                from tidings_ops.dead_letters d where d.dead_id = \(id)
                """)?.withText
    }
}
