import TidingsCatalogue
public import TidingsCore
import TidingsPostgres

extension Store {
    /// The largest number of waiting deliveries, and of notifications, that a change reads to find the types in use. A larger number would
    /// delay the command that applies a catalogue.
    public static let catalogueLook = 100_000
}

extension Store.Catalogues {
    /// Stores a catalogue and makes it the active one. Every role follows within ``CatalogueSource/refreshInterval``. The queues of the
    /// catalogue must exist already.
    ///
    /// One transaction compares the catalogue with the active one, writes the row of the history and makes the change. Two changes at the
    /// same time run one after the other. The second one is compared with the catalogue that the first one made active.
    ///
    /// - Parameter builtIn: the catalogue that is active until one is applied.
    @discardableResult
    public func activate(_ catalogue: Catalogue, by change: CatalogueChange, builtIn: Catalogue) async throws -> CatalogueActivation {
        // Read committed: the statement after the lock must see the commit of the previous holder of the lock.
        return try await pool.transaction(retryAmbiguous: true, isolation: .readCommitted) { transaction in
            // The lock keeps out binaries of an earlier release too. Roles can still read the table.
            _ = try await transaction.query("lock table tidings.active_catalogue in share row exclusive mode")
            let active = try await Self.active(or: builtIn, in: transaction)
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

    /// The names that would disappear if a catalogue were applied now: those for which ``activate(_:by:builtIn:)`` refuses it. Changes
    /// nothing.
    ///
    /// - Parameter builtIn: the catalogue that is active until one is applied.
    public func lost(by catalogue: Catalogue, builtIn: Catalogue) async throws -> [CatalogueRemoval] {
        try await pool.transaction(isolation: .readCommitted) { transaction in
            let active = try await Self.active(or: builtIn, in: transaction)
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

    private static func active(or builtIn: Catalogue, in transaction: PostgresTransaction) async throws -> ActiveCatalogue {
        let query: SQL = """
            select c.hash, c.yaml, (select h.action from tidings.catalogue_history h where h.hash = a.hash order by h.id desc limit 1)
            from tidings.active_catalogue a join tidings.catalogues c on c.hash = a.hash
            """
        guard let (hash, yaml, action) = try await transaction.query(.first(query) { try $0.decode((String, String, String?).self) }) else {
            let builtIn = CatalogueFile.sealed(builtIn)
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

extension Store.Catalogues {
    /// The names of `old` that `new` lacks, each with the number of its users.
    private static func removals(
        from old: Catalogue, to new: Catalogue, in transaction: PostgresTransaction
    ) async throws -> [CatalogueRemoval] {
        let names = CatalogueRemovals(from: old, to: new)
        if names.isEmpty { return [] }
        let needs = try await Needs(of: names, from: old, in: transaction)
        let types = names.types.map { name in
            var removal = CatalogueRemoval(.type, name)
            (removal.waiting, removal.recent, removal.isWhole) = (needs.ofType[name] ?? 0, needs.recent[name] ?? 0, needs.isWhole)
            removal.outgoing = needs.outgoing[name] ?? 0
            return removal
        }
        let providers = names.providers.map { name in
            var removal = CatalogueRemoval(.provider, name)
            (removal.packs, removal.packed) = needs.packs[name] ?? (0, 0)
            removal.waiting = needs.waiting[name] ?? 0
            removal.undecided = old.providers[name].flatMap { needs.undecided[$0.channel.rawValue] } ?? 0
            return removal
        }
        let markets = names.markets.map { name in
            var removal = CatalogueRemoval(.market, name)
            removal.recipients = needs.named[name] ?? 0
            return removal
        }
        return types + providers + markets
    }
}

/// The users of the names that a catalogue would lose.
private struct Needs {
    /// Unfinished packs of each provider, and their deliveries.
    let packs: [String: (packs: Int, deliveries: Int)]
    /// Waiting deliveries of each provider.
    let waiting: [String: Int]
    /// People and devices of each market.
    let named: [String: Int]
    /// Events of each type in the SQL outbox.
    let outgoing: [String: Int]
    /// Waiting deliveries of each type.
    let ofType: [String: Int]
    /// Recent notifications of each type.
    let recent: [String: Int]
    /// Waiting deliveries of each channel without a provider.
    let undecided: [String: Int]
    /// Whether all waiting deliveries and all notifications were looked at.
    let isWhole: Bool

    init(of names: CatalogueRemovals, from old: Catalogue, in transaction: PostgresTransaction) async throws {
        let look = Int64(Store.catalogueLook)
        let channels = Set(names.providers.compactMap { old.providers[$0]?.channel.rawValue }).sorted()
        var trip = RoundTrip()
        let packing: SQL =
            "select provider, count(*), sum(cardinality(ordinals)) from tidings.packs where provider = any(\(names.providers)) group by 1"
        let ofPacks = trip.ask(
            .rows(packing) { row in
                let (name, count, deliveries) = try row.decode((String, Int, Int).self)
                return (name, (packs: count, deliveries: deliveries))
            })
        let ofProviders = trip.ask(
            Self.counts("select provider, count(*) from tidings.due where provider = any(\(names.providers)) group by 1"))
        let ofMarkets = trip.ask(
            Self.counts(
                """
                select market, count(*) from (
                    select market from tidings.recipients where market = any(\(names.markets))
                    union all select market from tidings.endpoints where market = any(\(names.markets)) and gone_at is null) named
                group by 1
                """))
        let inOutbox = trip.ask(Self.counts("select type, count(*) from tidings.outgoing where type = any(\(names.types)) group by 1"))
        // Look up the notification of each delivery by its key. A join might read the partition of every day.
        let ofWaiting = trip.ask(
            Self.counts(
                """
                select n.type, count(*) from (select notification_id from tidings.due limit \(look)) w
                cross join lateral (select type from tidings.notifications n where n.id = w.notification_id offset 0) n
                where n.type = any(\(names.types)) group by 1
                """))
        let ofRecent = trip.ask(
            Self.counts(
                """
                select n.type, count(*) from (select type from tidings.notifications order by id desc limit \(look)) n
                where n.type = any(\(names.types)) group by 1
                """))
        let isPart = trip.ask(
            .value(
                """
                select (select count(*) from (select from tidings.due limit \(look + 1)) w) > \(look)
                    or (select count(*) from (select from tidings.notifications limit \(look + 1)) n) > \(look)
                """, as: Bool.self))
        let ofChannels = trip.ask(
            Self.counts("select channel, count(*) from tidings.due where provider = '' and channel = any(\(channels)) group by 1"))
        let found = try await transaction.send(trip)
        packs = Dictionary(uniqueKeysWithValues: try found[ofPacks])
        (waiting, named, outgoing) = (try found[ofProviders], try found[ofMarkets], try found[inOutbox])
        (ofType, recent, undecided) = (try found[ofWaiting], try found[ofRecent], try found[ofChannels])
        isWhole = try !found[isPart]
    }

    /// A number for each name, from rows of both.
    private static func counts(_ query: SQL) -> Statement<[String: Int]> {
        Statement<[(String, Int)]>.rows(query) { try $0.decode((String, Int).self) }.map { Dictionary(uniqueKeysWithValues: $0) }
    }
}
