/// Why a store cannot be used.
public enum StoreError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The database has no schema yet, or an older one.
    case schemaTooOld(found: Int, needed: Int)
    /// A development version before the first release made this database, with steps that no binary knows any more.
    case schemaBeforeBaseline(found: Int)
    /// A newer binary migrated this database, and a step of it excludes this one: it would use what is no longer there.
    case schemaTooNew(found: Int, known: Int, oldest: Int, requiredBy: String)
    /// A table that a step of the schema changes was used without a break for minutes.
    case tableInUse(step: String)
    /// A statement answered so late that what it says must not be acted on; nothing was changed.
    case viewTooOld
    /// Ids carry the database's time, so a process whose clock is far off must not make any.
    case clockSkew(seconds: Double)

    public var description: String {
        switch self {
        case .schemaTooOld(let found, let needed):
            "the database has schema \(found), this binary needs \(needed): run tidings db migrate"
        case .schemaBeforeBaseline(let found):
            "the database has schema \(found) of a version before the first release, which cannot be migrated: use a new database"
        case .schemaTooNew(let found, let known, let oldest, let step):
            "the database has schema \(found), and migration \(step) excludes binaries before schema \(oldest); "
                + "this binary knows schema \(known): use the newer binary"
        case .tableInUse(let step):
            "step \(step) of the schema needs a table that a long transaction keeps: pg_stat_activity shows it by xact_start; end it and run this again"
        case .viewTooOld:
            "the database answered too late to act on it: trying again"
        case .clockSkew(let seconds):
            "this machine's clock differs from the database's by \(seconds) s (at most \(DatabaseClock.maximumSkewSeconds)): set the clock"
        }
    }

    /// Throws ``schemaBeforeBaseline(found:)`` for a database with a schema that is older than ``Migration/baseline``. 0, an empty database, is fine.
    static func refuseSchemaBeforeBaseline(_ found: Int) throws {
        if found > 0, found < Migration.baseline.number { throw StoreError.schemaBeforeBaseline(found: found) }
    }
}
