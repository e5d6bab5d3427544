import TidingsPostgres

/// The rights to create the three schemas. The owner of the database has them, and any other user gets them from an administrator.
enum SchemaCreation {
    /// Returns the statements that an administrator has to run before this user can create the schemas. Empty if the user can, or if the
    /// database has the tables of Tidings.
    static func statements(on connection: PostgresConnection) async throws -> [String] {
        try await connection.query(missingRights).rows.map { try $0.decode(String.self) }
    }

    /// Reads only catalogues of PostgreSQL, which every user may read. A schema that an administrator created needs the user as its owner,
    /// because only an owner may comment on a schema and give rights on it.
    private static let missingRights: SQL = """
        with schemas as (
            select s.name, n.oid as id, n.nspowner as owner
            from unnest(array['tidings', 'tidings_ops', 'tidings_api']) as s(name) left join pg_namespace n on n.nspname = s.name
            where not exists (
                select from pg_class c join pg_namespace p on p.oid = c.relnamespace
                where p.nspname = 'tidings' and c.relname = 'clock_offset')
        )
        select format('grant create on database %I to %I;', current_database(), current_user)
        where not has_database_privilege(current_database(), 'create') and exists (select from schemas where id is null)
        union all
        select format('alter schema %I owner to %I;', name, current_user) from schemas where not pg_has_role(owner, 'usage')
        """
}
