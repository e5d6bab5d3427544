import TidingsPostgres

extension Store {
    /// The name of the sessions of a process that serves the API.
    package static let apiApplicationName = "tidings api"
}

extension Store.Operations {
    /// The logins of connected processes that serve the API and may read secrets of webhooks or add API keys, also by taking a role.
    ///
    /// PostgreSQL knows such a process by the name of its sessions, so a process whose URL sets `application_name` is not found. Needs no
    /// right.
    public func broadAPILogins() async throws -> [String] {
        let result = try await pool.query(
            """
            select distinct u.rolname::text
            from pg_stat_activity a join pg_roles u on u.oid = a.usesysid
            where a.datname = current_database() and a.application_name = \(Store.apiApplicationName) and exists (
                select from pg_roles r, pg_attribute t join pg_class c on c.oid = t.attrelid join pg_namespace n on n.oid = c.relnamespace
                where pg_has_role(u.oid, r.oid, 'member') and n.nspname = 'tidings'
                    and (c.relname, t.attname) in (('addresses', 'secrets'), ('api_keys', 'secret_hash'))
                    and has_column_privilege(r.oid, c.oid, t.attnum, case c.relname when 'addresses' then 'select' else 'insert' end))
            order by 1
            """)
        return try result.rows.map { try $0.decode(String.self) }
    }
}
