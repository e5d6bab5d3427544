import Foundation
import Testing
import TidingsStore
import TidingsTestSupport

/// Files that are made from a migrated database and from the binary. `TIDINGS_WRITE_GENERATED=1 deploy/test --filter GeneratedFileTests`
/// writes all of them.
@Suite struct GeneratedFileTests {
    private static let writes = ProcessInfo.processInfo.environment["TIDINGS_WRITE_GENERATED"] != nil
    private static let hint = "TIDINGS_WRITE_GENERATED=1 deploy/test --filter GeneratedFileTests writes the generated files"

    /// The reviewed dump of the schema is the schema that the baseline makes. A change of the schema shows in a change of the dump. A new
    /// dump has the next number of the baseline if it needs one.
    @Test func theDumpIsTheSchema() async throws {
        try await withOwnSystem { system in
            let dump = try await TestProcess(
                ["/bin/bash", "-euo", "pipefail", "-c", Self.script], environment: system.environment
            ).finish()
            // A dump that broke off must not replace the reviewed one.
            try #require(dump.exitCode == 0, "\(dump.errors)")
            let dumped = SchemaDump.withoutEqualPartitions(dump.output)
            let file = TestSystem.repository.appendingPathComponent("Sources/Store/Schema/schema.dump.sql")
            let former = try String(contentsOf: file, encoding: .utf8)
            let schema = SchemaDump.file(of: dumped, after: former, isReleased: Migration.all.count > 1)
            if Self.writes { try schema.write(to: file, atomically: true, encoding: .utf8) }
            let reviewed = try String(contentsOf: file, encoding: .utf8)
            // The first line has the number, which differs if anything does.
            let lines = zip(schema.split(separator: "\n").dropFirst(), reviewed.split(separator: "\n").dropFirst())
            let difference = lines.first { $0 != $1 }
            #expect(difference == nil, "the first line that differs: the database has the first, schema.dump.sql the second")
            #expect(schema == reviewed, "\(Self.hint)")
            let number = try #require(Migration.baselineNumber(in: reviewed))
            #expect(number > 0)
        }
    }

    /// SQL.md is made from the comments of the database, Configuration.md from the declarations of the binary.
    @Test func theReferencesAreUpToDate() async throws {
        try await withOwnSystem { system in
            let program = TestSystem.repository.appendingPathComponent("deploy/guides").path
            let check = Self.writes ? [] : ["--check"]
            let result = try await TestProcess(
                ["/usr/bin/python3", program, "--binary", TestSystem.binary] + check, environment: system.environment
            ).finish()
            #expect(result.exitCode == 0, "\(Self.hint)\n\(result.output)\(result.errors)")
        }
    }

    /// Without owners and day partitions, and without lines that differ from server to server.
    private static let script = #"""
        pg_dump=$(ls -d /usr/lib/postgresql/*/bin/pg_dump | sort -V | tail -n 1)
        "$pg_dump" --schema-only --no-owner --exclude-table='tidings.*_p[0-9]*' "$TIDINGS_DATABASE_URL" |
            grep -vE '^(--|SET |SELECT pg_catalog\.set_config|\\restrict |\\unrestrict )' | cat -s | sed '1{/^$/d}'
        """#
}
