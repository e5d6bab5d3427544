public import TidingsContracts
public import TidingsCore
public import TidingsJSON
import TidingsPostgres

/// A message that could not be processed: a suspect, or a message that is no pack.
public struct DeadMessage: Sendable {
    public var queue: String
    public var reason: ReasonCode
    public var message: String
    public var deaths: Int
    public var exchange: String
    public var routingKey: String
    public var contentType: String?
    public var headers: String
    /// The headers that a replay sends, as JSON text. Nil if not all of them are known: then the message cannot be replayed.
    public var replayHeaders: String?
    /// The attributes of an event in headers. Two messages may have the same body, and then only these differ.
    public var attributes: [HeaderAttribute]
    public var body: [UInt8]
    /// The publisher. Nil if neither the broker nor a trusted user vouched for it.
    public var producer: String?

    public init(
        queue: String, reason: ReasonCode, message: String, deaths: Int, exchange: String, routingKey: String, contentType: String?,
        headers: String, replayHeaders: String? = "{}", attributes: [HeaderAttribute] = [], body: [UInt8], producer: String? = nil
    ) {
        self.queue = queue
        self.reason = reason
        self.message = message
        self.deaths = deaths
        self.exchange = exchange
        self.routingKey = routingKey
        self.contentType = contentType
        self.headers = headers
        self.replayHeaders = replayHeaders
        self.attributes = attributes
        self.body = body
        self.producer = producer
    }

    /// The digest of everything that tells this message from another one. Headers that the broker adds are no part of it, so a message that
    /// dies again has the same digest. A replay has it, too: it names no content type and no producer by an empty text.
    var fingerprint: Digest128 {
        let texts = [queue, routingKey, contentType ?? "", producer ?? ""]
        return Digest128(hashingParts: texts.map { Array($0.utf8) } + [body] + attributes.identity)
    }
}

extension Store.Refused {
    /// Stores a message that could not be processed. A suspect is stored before its trial.
    ///
    /// - Returns: The row's id, its earlier state, and `deaths`. The earlier state shows whether a worker died during the trial of this
    ///   suspect. `deaths` counts how often the message was set aside since it was last processed, this time included.
    public func keepDead(_ message: DeadMessage, state: String) async throws -> (id: Int64, earlierState: String?, deaths: Int) {
        let keeping: SQL = """
            with earlier as (select state from tidings.dead where fingerprint = \(message.fingerprint.uuid))
            insert into tidings.dead as kept (fingerprint, at, queue, reason, message, deaths, exchange, routing_key, content_type, headers,
                replay_headers, raw, size, state, producer)
            values (\(message.fingerprint.uuid), tidings.clock(), \(message.queue), \(message.reason.rawValue), \(storable(message.message)),
                \(Int64(message.deaths)), \(storable(message.exchange)), \(storable(message.routingKey)), \(storable(message.contentType)),
                \(message.headers), \(message.replayHeaders), \(message.body), \(Int32(clamping: message.body.count)), \(state),
                \(storable(message.producer)))
            on conflict (fingerprint) do update set state = excluded.state, at = excluded.at, reason = excluded.reason,
                message = excluded.message,
                deaths = excluded.deaths + case when kept.state = 'resolved' then 0 else kept.deaths end
            returning id, (select state from earlier) as earlier_state, deaths
            """
        return try await pool.write(
            .one(keeping) { row in
                let (id, earlier, deaths) = try row.decode((Int64, String?, Int).self)
                return (id: id, earlierState: earlier, deaths: deaths)
            })
    }

    /// Changes the state of a dead letter. Returns false if its present state is not one of `from`.
    public func moveDead(_ id: Int64, from states: [String], to state: String) async throws -> Bool {
        try await pool.write(
            .exists(
                """
                update tidings.dead set state = \(state), acted_at = tidings.clock() where id = \(id) and state = any(\(states)) returning id
                """))
    }

    /// Opens a suspect that is no pack, for an operator. No reader of it can tell which deliveries it names.
    public func keepUndecodable(_ id: Int64, because problem: String) async throws {
        _ = try await pool.write(
            """
            update tidings.dead set state = 'open', reason = \(ReasonCode.undecodablePack.rawValue), message = \(storable(problem)), acted_at = null
            where id = \(id) and state = 'trying'
            """)
    }

    public func dead(state: String?, reason: String?, limit: Int) async throws -> [JSON] {
        try await store.report(
            """
            select * from tidings_ops.dead_letters d where (\(state) is null or d.state = \(state))
                and (\(reason) is null or d.reason_code = \(reason)) order by d.dead_id desc limit \(Int64(limit))
            """)
    }

    /// A dead letter. The kept bytes are in `raw_base64` as base64, and in `raw` as text if they are UTF-8.
    public func dead(_ id: Int64) async throws -> JSON? {
        try await store.report(
            """
            select d.*, k.producer, k.headers, replace(encode(k.raw, 'base64'), E'\\n', '') as raw_base64
            from tidings_ops.dead_letters d join tidings.dead k on k.id = d.dead_id where d.dead_id = \(id)
            """,
            ifAllowedElse: """
                select d.*, 'bytes and headers: only a member of tidings_run reads them' as withheld
                from tidings_ops.dead_letters d where d.dead_id = \(id)
                """)?.withText()
    }
}
