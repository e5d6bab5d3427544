/// The reason why a store cannot be used.
public enum StoreError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The database has no schema yet, or an older one.
    case schemaTooOld(found: Int, needed: Int)
    /// A development version before the first release made this database. No binary knows the steps of that version any more.
    case schemaBeforeBaseline(found: Int)
    /// A newer binary migrated this database, and a step of that migration excludes this binary. This binary would use tables or columns
    /// that are gone.
    case schemaTooNew(found: Int, known: Int, oldest: Int, requiredBy: String)
    /// The database lacks the tables of a module of this binary.
    case partMissing(module: String)
    /// The database has only some tables of a module. A migration creates all of them or none.
    case partIncomplete(module: String, missing: [String], present: [String])
    /// A newer binary migrated this database, which lacks a table of a module of this binary. A migration by this binary changes nothing.
    case partMissingFromNewerSchema(module: String, found: Int, known: Int)
    /// An assumption about PostgreSQL does not hold.
    case unsuitableServer([ServerFault])
    /// A newer binary migrated this database, so this binary does not know which rights the schema needs.
    case rightsOfNewerSchema(found: Int, known: Int)
    /// The user may not create the schemas of Tidings until an administrator of the server has run the statements.
    case mayNotCreateSchemas(statements: [String])
    /// Other sessions used a table without a break for minutes, so that a step of the schema could not change the table.
    case tableInUse(step: String)
    /// A statement answered too late: the answer may be out of date, so the store must not act on it. Nothing was changed.
    case viewTooOld
    /// The process's clock is too far off. Ids carry the database's time, so such a process must not make ids.
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
        case .partMissing(let module):
            "the database lacks the tables of the module \(module): run tidings db migrate"
        case .partIncomplete(let module, let missing, let present):
            "the database has only some tables of the module \(module): it has \(present.joined(separator: ", ")) "
                + "and lacks \(missing.joined(separator: ", ")): restore the missing ones; "
                + "or drop the others with their rows, and run tidings db migrate"
        case .partMissingFromNewerSchema(let module, let found, let known):
            "the database has schema \(found) and lacks a table of the module \(module); this binary knows schema \(known): "
                + "use the newer binary"
        case .unsuitableServer(let faults):
            faults.map(\.words).joined(separator: "; ")
        case .rightsOfNewerSchema(let found, let known):
            "the database has schema \(found), and this binary knows the rights of schema \(known): nothing was granted, use the newer binary"
        case .mayNotCreateSchemas:
            "this user may not create the schemas of Tidings in the database"
        case .tableInUse(let step):
            "step \(step) of the schema needs a table that a long transaction keeps: pg_stat_activity shows it by xact_start; end it and run this again"
        case .viewTooOld:
            "the database answered too late to act on it: trying again"
        case .clockSkew(let seconds):
            "this machine's clock differs from the database's by \(seconds) s (at most \(DatabaseClock.maximumSkewSeconds)): set the clock"
        }
    }

    /// Throws ``schemaBeforeBaseline(found:)`` if the database's schema is older than ``Migration/baseline``. An empty database, with 0, is
    /// accepted.
    static func refuseSchemaBeforeBaseline(_ found: Int) throws {
        if found > 0, found < Migration.baseline.number { throw StoreError.schemaBeforeBaseline(found: found) }
    }
}
