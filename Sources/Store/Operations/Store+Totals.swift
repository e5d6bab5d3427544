import TidingsPostgres

/// Sums over all transactions so far.
public struct Totals: Sendable, Hashable {
    public var accepted = 0
    public var planned = 0
    public var ended = 0
}

extension Store.Operations {
    /// Reads the sums from the tallies: cheap at any size.
    public func totals() async throws -> Totals {
        let result = try await pool.query(
            """
            select kind, sum(n)::bigint from (
                select kind, n from tidings.tally union all select kind, n from tidings.tally_totals
            ) counted where kind in ('accepted', 'planned', 'ended') group by kind
            """)
        var totals = Totals()
        for row in result.rows {
            let (kind, count) = try row.decode((String, Int).self)
            switch kind {
            case "accepted": totals.accepted = count
            case "planned": totals.planned = count
            default: totals.ended = count
            }
        }
        return totals
    }
}
