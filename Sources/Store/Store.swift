import TidingsCore
public import TidingsPostgres

/// The only code that contains SQL, except modules, each of which has the SQL of its own tables.
///
/// Each aggregate has its functions in its own folder. Its handle reaches them, as in `store.inbox.page(…)`:
///
/// - ``inbox``: entries of people: pages, marks, news and retention
/// - ``outbox``: packs, which a worker claims and settles once, and the SQL outbox of `tidings_api.enqueue`
/// - ``due``: deliveries that wait for a time, and deliveries in packs of dead workers
/// - ``reports``: reports of providers and devices about deliveries
/// - ``engagement``: events of apps about their people
/// - ``reservations``: ids that the HTTP API promises before a router decides
/// - ``keys`` (`APIKeys`): keys of the HTTP API
/// - ``pausing`` (`Pauses`): channels, providers, types and tenants that operators have paused
/// - ``localPlans``: notifications that devices show by themselves
/// - ``recipients``: settings and endpoints of people
/// - ``addresses``: e-mail addresses, telephone numbers and webhooks of people
/// - ``erasures`` (`Erasure`): erased people, and the erasures that a releaser works on
/// - ``catalogues``: stored catalogues and the active one
/// - ``refused``: refused events and dead letters
/// - ``upkeep``: chores of releasers between their turns, and what a running process reports
/// - ``operations``: the readings of the command line, and the changes that an operator makes to one delivery
///
/// Three folders have no handle. ``intake(_:)`` opens the transaction of a router's batch, ``timelines`` refuses an old primary, and
/// `Schema` has the tables.
public struct Store: Sendable {
    /// The connections. A module uses them for its own tables.
    package let pool: PostgresPool
    /// The database's clock, as this process estimates it.
    public let clock: DatabaseClock
    /// Keeps the sessions away from an old primary. Nil if every server is taken.
    public let timelines: TimelineGuard?
    let duplicates = DuplicateWatch()

    /// Creates a store without connecting. The pool opens up to `size` connections as they are needed. A caller waits for one until
    /// `acquireTimeout`. Stores of one process share its clock. `log` gets the events of the pool, on any thread, and must not block.
    public init(
        _ configuration: PostgresConfiguration, size: Int, name: String, clock: DatabaseClock = DatabaseClock(),
        acquireTimeout: Duration = PostgresPool.standardAcquireTimeout, log: @escaping @Sendable (PostgresPoolEvent) -> Void = { _ in }
    ) {
        pool = PostgresPool(configuration, size: size, name: name, acquireTimeout: acquireTimeout, log: log)
        timelines = configuration.admission as? TimelineGuard
        self.clock = clock
    }

    /// Connects and sets ``clock`` to the database's time.
    ///
    /// Throws a ``StoreError`` if the schema is too old or excludes this binary, or if the two machines' clocks differ too much.
    ///
    /// - Returns: The schema's number. The number is larger than ``Migration/latest`` if a newer binary migrated the database.
    @discardableResult
    public func open() async throws -> Int {
        let asked = DatabaseClock.local()
        let found = try await greeting()
        let answered = DatabaseClock.local()
        try StoreError.refuseSchemaBeforeBaseline(found.version)
        guard found.version >= Migration.latest else { throw StoreError.schemaTooOld(found: found.version, needed: Migration.latest) }
        guard found.oldest <= Migration.latest else {
            throw StoreError.schemaTooNew(
                found: found.version, known: Migration.latest, oldest: found.oldest, requiredBy: found.requiredBy ?? "\(found.oldest)")
        }
        let skew = DatabaseClock.skew(of: Timestamp(found.real), asked: asked, answered: answered)
        guard abs(skew) <= DatabaseClock.maximumSkewSeconds else { throw StoreError.clockSkew(seconds: skew) }
        clock.correct(.init(found.business))
        return found.version
    }

    public func close() async {
        await pool.close()
    }

    private struct Greeting: Sendable {
        let version: Int
        let oldest: Int
        let requiredBy: String?
        let real: PostgresTimestamp
        let business: PostgresTimestamp

        init(_ row: PostgresRow) throws {
            version = try row.decode("version")
            oldest = try row.decode("oldest_binary_schema")
            requiredBy = try row.decode("required_by")
            real = try row.decode("real")
            business = try row.decode("as_of")
        }
    }

    /// Reads the schema's version and the database's two clocks in one round trip, because every command waits for this too. The query
    /// reads a view, so that a member of `tidings_ops_read` may run it.
    private func greeting() async throws -> Greeting {
        do {
            let query: SQL =
                "select version, oldest_binary_schema, required_by, clock_timestamp() as real, as_of from tidings_ops.schema_version"
            guard let greeting = try await pool.query(.first(query, Greeting.init)) else {
                throw StoreError.schemaTooOld(found: 0, needed: Migration.latest)
            }
            return greeting
        } catch let error as PostgresError where [Self.undefinedTable, Self.undefinedColumn].contains(error.sqlState) {
            let found = try await versionBeforeTheView()
            try StoreError.refuseSchemaBeforeBaseline(found)
            throw StoreError.schemaTooOld(found: found, needed: Migration.latest)
        }
    }

    /// The number of a schema that is older than the view. 0 for an empty database.
    private func versionBeforeTheView() async throws -> Int {
        let exists = try await pool.query(.value("select to_regclass('tidings.migrations') is not null", as: Bool.self))
        return exists ? try await pool.query(.value("select coalesce(max(number), 0)::bigint from tidings.migrations")) : 0
    }

    /// SQLSTATE `undefined_table`. PostgreSQL also answers this if the schema of the table is missing.
    private static let undefinedTable = "42P01"
    /// SQLSTATE `undefined_column`: the view of a development version lacks columns.
    private static let undefinedColumn = "42703"
}
