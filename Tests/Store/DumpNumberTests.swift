import Testing
import TidingsStore
import TidingsTestSupport

/// The number of the baseline, which stands above the dump of its schema.
@Suite struct DumpNumberTests {
    private static let table = "CREATE TABLE tidings.part (\n    name text\n);"
    private static let comment = "COMMENT ON TABLE tidings.part IS 'Parts.';"
    private static let former = "-- baseline 41\n\n\(table)\n\n\(comment)\n\n"

    private static func number(of statements: [String], isReleased: Bool = false) -> Int? {
        let dump = statements.joined(separator: "\n\n") + "\n\n"
        return Migration.baselineNumber(in: SchemaDump.file(of: dump, after: former, isReleased: isReleased))
    }

    @Test func theSameSchemaKeepsItsFile() {
        #expect(SchemaDump.file(of: "\(Self.table)\n\n\(Self.comment)\n\n", after: Self.former, isReleased: false) == Self.former)
    }

    @Test func anotherTableRaisesTheNumber() {
        #expect(Self.number(of: [Self.table.replacing("name", with: "title"), Self.comment]) == 42)
        #expect(Self.number(of: [Self.table, "CREATE INDEX part_name_idx ON tidings.part USING btree (name);", Self.comment]) == 42)
        #expect(Self.number(of: [Self.comment]) == 42)
    }

    @Test func anotherCommentKeepsTheNumber() {
        #expect(Self.number(of: [Self.table, "COMMENT ON TABLE tidings.part IS 'All parts.';"]) == 41)
        #expect(Self.number(of: [Self.table]) == 41)
    }

    @Test func theNumberOfAReleasedBaselineStays() {
        #expect(Self.number(of: [Self.comment], isReleased: true) == 41)
    }

    @Test func aFileWithoutANumberHasNone() {
        for head in ["", "CREATE SCHEMA tidings;", "-- baseline", "-- baseline one\n", "41"] {
            #expect(Migration.baselineNumber(in: head) == nil, "\(head)")
        }
    }

    /// The binary embeds the first bytes of the file.
    @Test func theBinaryHasTheNumber() {
        #expect(Migration.all.first?.name == "baseline" && Migration.all.first.map { $0.number > 0 } == true)
    }
}
