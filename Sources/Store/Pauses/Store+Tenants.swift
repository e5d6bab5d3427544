import TidingsPostgres

extension Store {
    /// Rows of each large table in which ``knownTenants(like:)`` looks for tenants. An installation with more tenants does not tell a
    /// misspelt name from a new one by its neighbours.
    public static let tenantLook = 1_000
}

extension Store.Pausing {
    /// The tenants that have people, notifications or API keys, as far as a look at few rows finds them. A tenant with people is found
    /// under its own name in any case.
    ///
    /// Tenants are declared nowhere: an event may name any.
    public func knownTenants(like name: String) async throws -> Set<String> {
        let result = try await pool.query(
            """
            with recursive people(tenant) as (
                (select r.tenant from tidings.recipients r order by r.tenant limit 1)
                union all
                select (select r.tenant from tidings.recipients r where r.tenant > p.tenant order by r.tenant limit 1)
                from people p where p.tenant is not null
            )
            select \(name)::text where exists (select from tidings.recipients r where r.tenant = \(name))
            union (select tenant from people where tenant is not null limit \(Int64(Store.tenantLook)))
            union select tenant from tidings.tally_totals where kind = 'ended' and tenant <> ''
            union select tenant from (select tenant from tidings.tally where kind = 'ended' limit \(Int64(Store.tenantLook))) t
            union select tenant from (select tenant from tidings.notifications order by id desc limit \(Int64(Store.tenantLook))) n
            union select tenant from tidings.api_keys where tenant <> '*'
            """)
        return Set(try result.rows.map { try $0.decode(String.self) })
    }
}
