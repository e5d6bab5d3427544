public import TidingsJSON
import TidingsPostgres

extension Store.Catalogues {
    /// The changes of the active catalogue, the newest first.
    public func history(limit: Int) async throws -> [JSON] {
        try await store.report("select * from tidings_ops.catalogue_history h order by h.activation_id desc limit \(Int64(limit))")
    }

    /// The running processes that follow another catalogue than this one, by the ids of `tidings_ops.workers`.
    public func processesWithout(_ hash: String) async throws -> [String] {
        try await pool.query(
            """
            select w.worker_id from tidings_ops.workers w join tidings.workers p on p.id = w.worker_id
            where w.state = 'running' and p.catalogue is distinct from \(hash) order by 1
            """
        ).rows.map { try $0.decode(String.self) }
    }

    /// Stored catalogues whose hash begins with `prefix`, at most two. If `prefix` is nil: the active one. Each has its file, and the
    /// author of its last activation.
    public func kept(beginning prefix: String?) async throws -> [JSON] {
        try await store.report(
            """
            select c.hash, c.active, h.activated_at, h.action, h.author, h.reason, c.yaml
            from tidings_ops.catalogues c left join lateral (
                select * from tidings_ops.catalogue_history h where h.hash = c.hash order by h.activation_id desc limit 1) h on true
            where case when \(prefix) is null then c.active else starts_with(c.hash, \(prefix)) end
            order by c.hash limit 2
            """)
    }

    /// The active catalogue and the one before it. `before` is nil if no earlier catalogue is known.
    ///
    /// The one before is the catalogue that the active one replaced when it was applied. A rollback does not count as applying. So a second
    /// rollback goes further back, instead of returning to the catalogue that the first rollback left.
    public func before() async throws -> (active: String, before: String?)? {
        let query: SQL = """
            select a.hash, (select nullif(h.replaced, h.hash) from tidings_ops.catalogue_history h where h.hash = a.hash and h.action <> 'rollback'
                order by h.activation_id desc limit 1)
            from tidings_ops.catalogues a where a.active
            """
        return try await pool.query(
            .first(query) { row in
                let (active, before) = try row.decode((String, String?).self)
                return (active: active, before: before)
            })
    }
}
