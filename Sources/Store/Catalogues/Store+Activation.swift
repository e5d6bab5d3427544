import TidingsCatalogue
public import TidingsCore
import TidingsPostgres

extension Store {
    /// The largest number of waiting deliveries, and of notifications, that a change reads to find the types in use. A larger number would
    /// delay the command that applies a catalogue.
    public static let catalogueLook = 100_000

    /// Stores a catalogue and makes it the active one. Every role follows within ``CatalogueSource/refreshInterval``. The queues of the
    /// catalogue must exist already.
    ///
    /// One transaction compares the catalogue with the active one, writes the row of the history and makes the change. Two changes at the
    /// same time run one after the other. The second one is compared with the catalogue that the first one made active.
    @discardableResult
    public func activate(_ catalogue: Catalogue, by change: CatalogueChange) async throws -> CatalogueActivation {
        // Read committed: the statement after the lock must see the commit of the previous holder of the lock.
        return try await pool.transaction(retryAmbiguous: true, isolation: .readCommitted) { transaction in
            // The lock keeps out binaries of an earlier release too. Roles can still read the table.
            _ = try await transaction.query("lock table tidings.active_catalogue in share row exclusive mode")
            let active = try await Self.active(in: transaction)
            if active.isStored, active.hash == catalogue.hash { return .alreadyActive }
            if let expected = change.expected, expected != active.hash { return .overtaken(by: active.hash) }
            let removals: [CatalogueRemoval]
            switch active.read() {
            case .success(let old): removals = try await Self.removals(from: old, to: catalogue, in: transaction)
            case .failure(let problems) where !change.mayRemove: return .unreadable("\(problems)")
            case .failure: removals = []
            }
            let lost = active.isApplied ? removals : removals.filter(\.isNeeded)
            guard lost.isEmpty || change.mayRemove else { return .refused(lost) }
            try await Self.replace(active, with: catalogue, by: change, in: transaction)
            return .activated(replaced: active.hash, removals: lost)
        }
    }

    /// The names that would disappear if a catalogue were applied now: those for which ``activate(_:by:)`` refuses it. Changes nothing.
    public func lost(by catalogue: Catalogue) async throws -> [CatalogueRemoval] {
        try await pool.transaction(isolation: .readCommitted) { transaction in
            let active = try await Self.active(in: transaction)
            guard case .success(let old) = active.read() else { return [] }
            let removals = try await Self.removals(from: old, to: catalogue, in: transaction)
            return active.isApplied ? removals : removals.filter(\.isNeeded)
        }
    }

    private static func replace(
        _ active: ActiveCatalogue, with catalogue: Catalogue, by change: CatalogueChange, in transaction: PostgresTransaction
    ) async throws {
        let yaml = CatalogueFile.print(catalogue)
        _ = try await transaction.pipeline([
            // Store the replaced catalogue too, because the built-in one may not be stored yet and a rollback needs it.
            """
            insert into tidings.catalogues (hash, yaml, applied_at)
            values (\(active.hash), \(active.yaml), tidings.clock()), (\(catalogue.hash), \(yaml), tidings.clock()) on conflict do nothing
            """,
            Self.notedTypes(of: catalogue),
            // Write the history before the change: the trigger then finds this row and writes none of its own.
            """
            insert into tidings.catalogue_history (hash, replaced, activated_at, action, author, database_role, reason)
            values (\(catalogue.hash), \(active.hash), tidings.clock(), \(change.action.rawValue), \(change.author), session_user, \(change.reason))
            """,
            """
            insert into tidings.active_catalogue (hash) values (\(catalogue.hash)) on conflict (only_row) do update set hash = excluded.hash
            """,
        ])
    }

    private static func active(in transaction: PostgresTransaction) async throws -> ActiveCatalogue {
        let found = try await transaction.query(
            """
            select c.hash, c.yaml, (select h.action from tidings.catalogue_history h where h.hash = a.hash order by h.id desc limit 1)
            from tidings.active_catalogue a join tidings.catalogues c on c.hash = a.hash
            """)
        guard let (hash, yaml, action) = try found.rows.first?.decode((String, String, String?).self) else {
            let builtIn = CatalogueFile.sealed(.builtIn)
            return ActiveCatalogue(hash: builtIn.hash, yaml: CatalogueFile.print(builtIn), isStored: false, isApplied: false)
        }
        return ActiveCatalogue(hash: hash, yaml: yaml, isStored: true, isApplied: action != CatalogueChange.Action.start.rawValue)
    }
}

/// The catalogue that a change replaces.
private struct ActiveCatalogue {
    let hash: String
    let yaml: String
    /// False until a catalogue is applied. Until then each binary follows its own built-in catalogue.
    let isStored: Bool
    /// False for the built-in catalogue, and for one with the action `start`, which nobody asked for. Its types are samples, and only those
    /// in use count as lost.
    let isApplied: Bool

    func read() -> Result<Catalogue, CatalogueProblems> {
        do throws(CatalogueProblems) {
            return .success(try CatalogueFile.parse(yaml: yaml))
        } catch {
            return .failure(error)
        }
    }
}

// MARK: - Needs

extension Store {
    /// The names of `old` that `new` lacks, each with the number of its users.
    private static func removals(
        from old: Catalogue, to new: Catalogue, in transaction: PostgresTransaction
    ) async throws -> [CatalogueRemoval] {
        let names = CatalogueRemovals(from: old, to: new)
        if names.isEmpty { return [] }
        let channels = Set(names.providers.compactMap { old.providers[$0]?.channel.rawValue }).sorted()
        let results = try await transaction.pipeline([
            "select provider, count(*), sum(cardinality(ordinals)) from tidings.packs where provider = any(\(names.providers)) group by 1",
            "select provider, count(*) from tidings.due where provider = any(\(names.providers)) group by 1",
            """
            select market, count(*) from (
                select market from tidings.recipients where market = any(\(names.markets))
                union all select market from tidings.endpoints where market = any(\(names.markets)) and gone_at is null) named
            group by 1
            """,
            "select type, count(*) from tidings.outgoing where type = any(\(names.types)) group by 1",
            // Look up the notification of each delivery by its key. A join might read the partition of every day.
            """
            select n.type, count(*) from (select notification_id from tidings.due limit \(Int64(catalogueLook))) w
            cross join lateral (select type from tidings.notifications n where n.id = w.notification_id offset 0) n
            where n.type = any(\(names.types)) group by 1
            """,
            """
            select n.type, count(*) from (select type from tidings.notifications order by id desc limit \(Int64(catalogueLook))) n
            where n.type = any(\(names.types)) group by 1
            """,
            """
            select (select count(*) from (select from tidings.due limit \(Int64(catalogueLook) + 1)) w) > \(Int64(catalogueLook))
                or (select count(*) from (select from tidings.notifications limit \(Int64(catalogueLook) + 1)) n) > \(Int64(catalogueLook))
            """,
            "select channel, count(*) from tidings.due where provider = '' and channel = any(\(channels)) group by 1",
        ])
        var packs: [String: (packs: Int, deliveries: Int)] = [:]
        for row in results[0].rows {
            let (name, count, deliveries) = try row.decode((String, Int, Int).self)
            packs[name] = (count, deliveries)
        }
        let (waiting, named, outgoing, ofType, recent) = (
            try counts(results[1]), try counts(results[2]), try counts(results[3]), try counts(results[4]), try counts(results[5])
        )
        let undecided = try counts(results[7])
        let isWhole = try results[6].rows.first?.decode(Bool.self) == false
        let types = names.types.map { name in
            var removal = CatalogueRemoval(.type, name)
            (removal.waiting, removal.recent, removal.isWhole) = (ofType[name] ?? 0, recent[name] ?? 0, isWhole)
            removal.outgoing = outgoing[name] ?? 0
            return removal
        }
        let providers = names.providers.map { name in
            var removal = CatalogueRemoval(.provider, name)
            (removal.packs, removal.packed) = packs[name] ?? (0, 0)
            removal.waiting = waiting[name] ?? 0
            removal.undecided = old.providers[name].flatMap { undecided[$0.channel.rawValue] } ?? 0
            return removal
        }
        let markets = names.markets.map { name in
            var removal = CatalogueRemoval(.market, name)
            removal.recipients = named[name] ?? 0
            return removal
        }
        return types + providers + markets
    }

    private static func counts(_ result: PostgresResult) throws -> [String: Int] {
        var counts: [String: Int] = [:]
        for row in result.rows {
            let (name, count) = try row.decode((String, Int).self)
            counts[name] = count
        }
        return counts
    }
}
