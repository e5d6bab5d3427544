import TidingsCore
public import TidingsPostgres

/// The only code that speaks SQL. One extension for each aggregate, in its own folder:
///
/// - `Intake`: what a router writes, one transaction for a batch
/// - `Outbox`: packs, claimed by workers, settled once
/// - `Due`: what waits for its time
/// - `Pauses`: what operators have stopped for a while
/// - `LocalPlans`: what devices show by themselves
/// - `Recipients`, `Catalogues`, `Refused`: settings, and what could not be taken
/// - `Upkeep`: chores between turns
/// - `Operations`: what the command line reads
public struct Store: Sendable {
    let pool: PostgresPool
    /// The database's clock as this process knows it.
    public let clock: DatabaseClock
    let duplicates = DuplicateWatch()

    /// Does not connect. `size` connections are opened as they are needed. Stores of one process share its clock.
    public init(_ configuration: PostgresConfiguration, size: Int, name: String, clock: DatabaseClock = DatabaseClock()) {
        pool = PostgresPool(configuration, size: size, name: name)
        self.clock = clock
    }

    /// Connects, refuses a schema this binary does not know or a clock that is far off, and learns the database's time.
    public func open() async throws {
        let (found, real, business) = try await greeting()
        guard found >= Migration.latest else { throw StoreError.schemaTooOld(found: found, needed: Migration.latest) }
        guard found == Migration.latest else { throw StoreError.schemaTooNew(found: found, known: Migration.latest) }
        let skew = Double(real.microseconds - DatabaseClock.local().microseconds) / 1_000_000
        guard abs(skew) <= DatabaseClock.maximumSkewSeconds else { throw StoreError.clockSkew(seconds: skew) }
        clock.correct(.init(business))
    }

    public func close() async {
        await pool.close()
    }

    /// The schema's number and the database's two clocks, in one round trip: a command waits for it too.
    private func greeting() async throws -> (schema: Int, real: PostgresTimestamp, business: PostgresTimestamp) {
        do {
            let result = try await pool.query(
                "select coalesce(max(number), 0)::bigint, clock_timestamp(), tidings.clock() from tidings.migrations")
            guard let row = result.rows.first else { throw StoreError.schemaTooOld(found: 0, needed: Migration.latest) }
            return try row.decode((Int, PostgresTimestamp, PostgresTimestamp).self)
        } catch let error as PostgresError where error.sqlState == Self.undefinedTable {
            throw StoreError.schemaTooOld(found: 0, needed: Migration.latest)
        }
    }

    /// SQLSTATE `undefined_table`, also where its schema is missing.
    private static let undefinedTable = "42P01"
}
