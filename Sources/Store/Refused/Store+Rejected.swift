import TidingsEncodings
public import TidingsJSON
import TidingsPostgres

/// A refused or dead message, with everything that is needed to publish it again.
public struct KeptMessage: Sendable {
    public let id: Int64
    public let exchange: String
    public let routingKey: String
    public let contentType: String?
    public let body: [UInt8]
    /// The headers that belong to the message, as JSON text.
    public let headers: String
    /// The first publisher. Nil if neither the broker nor a trusted user vouched for it.
    public let producer: String?
    /// Shows whether the row has changed since it was read.
    let version: String
}

extension Store.Refused {
    public func rejected(state: String?, reason: String?, limit: Int) async throws -> [JSON] {
        try await store.report(
            """
            select rejected_id, reason_code, pointer, message, source, event_id, type, recipient_id, verified, occurrences, replayable,
                state, size, last_at
            from tidings_ops.rejected r where (\(state) is null or r.state = \(state)) and (\(reason) is null or r.reason_code = \(reason))
            order by r.rejected_id desc limit \(Int64(limit))
            """)
    }

    /// Refused events without their bytes, each with the meaning of its reason, newest first. `recipients` is the number of people.
    public func rejections(_ ids: [Int64]) async throws -> [JSON] {
        guard !ids.isEmpty else { return [] }
        return try await store.report(
            """
            select r.rejected_id, r.reason_code, r.pointer, r.message, r.tenant, r.source, r.event_id, r.type, r.recipient_id,
                cardinality(r.recipients) as recipients, r.verified, r.occurrences, r.replayable, r.state, r.first_at, r.last_at,
                c.meaning, c.what_to_do
            from tidings_ops.rejected r left join tidings_ops.reason_codes c on c.code = r.reason_code
            where r.rejected_id = any(\(ids)) order by r.rejected_id desc
            """)
    }

    /// A refused event. The kept bytes are in `raw_base64` as base64, and in `raw` as text if they are UTF-8.
    public func rejected(_ id: Int64) async throws -> JSON? {
        try await store.report(
            """
            select r.*, k.producer, k.headers, replace(encode(k.raw, 'base64'), E'\\n', '') as raw_base64, encode(k.sha256, 'hex') as sha256,
                c.meaning, c.what_to_do,
                (select \(RefusedTable.rejected.whyNot) from tidings.rejected r where r.id = k.id) as why_not_replayable
            from tidings_ops.rejected r join tidings.rejected k on k.id = r.rejected_id
            left join tidings.reason_codes c on c.code = r.reason_code where r.rejected_id = \(id)
            """,
            ifAllowedElse: """
                select r.*, 'bytes and headers: only a member of tidings_run reads them' as withheld, c.meaning, c.what_to_do
                from tidings_ops.rejected r left join tidings_ops.reason_codes c on c.code = r.reason_code where r.rejected_id = \(id)
                """)?.withText()
    }

    func kept(_ query: SQL) async throws -> KeptMessage? {
        try await pool.query(
            .first(query) { row in
                KeptMessage(
                    id: try row.decode("id"), exchange: try row.decode("exchange"), routingKey: try row.decode("routing_key"),
                    contentType: try row.decode("content_type"), body: try row.decode("raw"), headers: try row.decode("replay_headers"),
                    producer: try row.decode("producer"), version: try row.decode("version"))
            })
    }
}

extension JSON {
    /// Returns the row with a member `raw` before `raw_base64` if the kept bytes are UTF-8. Bytes with a NUL get no `raw`, because many
    /// readers of JSON refuse a NUL. A row with the member `withheld` has no bytes and stays as it is.
    ///
    /// - Throws: ``ReportError`` for a row with neither `withheld` nor `raw_base64`.
    func withText() throws(ReportError) -> JSON {
        guard self["withheld"] == nil else { return self }
        let base64: String = try column("raw_base64")
        guard case .object(let row) = self, let bytes = Base64.decode(base64), !bytes.contains(0),
            let text = String(validating: bytes, as: UTF8.self)
        else { return self }
        var members = JSONObject()
        for entry in row.entries {
            if entry.key == "raw_base64" { members["raw"] = .string(text) }
            members[entry.key] = entry.value
        }
        return .object(members)
    }
}
