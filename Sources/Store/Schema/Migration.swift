import CSchemaFiles

/// One numbered, append-only step of the schema. Its SQL never changes after a release. A correction is a new step with a new number.
public struct Migration: Sendable {
    /// The effect of a migration on binaries that run during it.
    public enum Kind: String, Sendable {
        /// Only adds: every earlier binary starts, runs and stops on the new schema.
        case expand
        /// Removes something that earlier binaries use, so earlier binaries no longer start.
        case contract
    }

    public let number: Int
    public let name: String
    public let kind: Kind
    /// The oldest schema whose binaries work on this one. Nil for the usual rule: with `expand` every schema, with `contract` this step's
    /// own.
    let oldestBinary: Int?
    /// The SQL of the step. One transaction runs it and writes the row that records it.
    public let sql: String

    package init(number: Int, name: String, kind: Kind, oldestBinary: Int? = nil, sql: String) {
        self.number = number
        self.name = name
        self.kind = kind
        self.oldestBinary = oldestBinary
        self.sql = sql
    }

    /// The oldest schema number that a binary must know to start after this step. Nil: the step excludes no binary. For a `contract` step
    /// it is the step's own number, unless the step names another number.
    public var oldestBinarySchema: Int? { oldestBinary ?? (kind == .contract ? number : nil) }

    /// Every migration of this binary, in order.
    public static let all: [Migration] = [baseline]
    /// The schema this binary needs.
    public static var latest: Int { all[all.count - 1].number }

    /// The whole schema of the first release: the files of `Baseline`, which `CSchemaFiles.c` lists in their order. Modules have their
    /// tables beside it, see ``SchemaPart``. Rights are no part of a step, see ``Grants``.
    ///
    /// Its number stands in the first line of `schema.dump.sql`. If a test writes the dump anew, and more than a comment differs, the number
    /// rises: a database of the former number then lacks something. The number is 0 if the file has no such line, which a test refuses.
    static let baseline = Migration(
        number: baselineNumber(in: String(cString: tidings_schema_dump_head())) ?? 0, name: "baseline", kind: .contract,
        sql: String(cString: tidings_schema_baseline()))

    /// The number of the baseline in the first line of a dump, such as `-- baseline 112`. Nil if the dump has no such line.
    package static func baselineNumber(in dump: String) -> Int? {
        guard let line = dump.split(separator: "\n").first, line.hasPrefix(baselineMark) else { return nil }
        return Int(line.dropFirst(baselineMark.count))
    }

    /// The beginning of the first line of a dump. The number follows.
    package static let baselineMark = "-- baseline "
}
