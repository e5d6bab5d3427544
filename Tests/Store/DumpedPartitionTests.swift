import Testing
import TidingsTestSupport

/// The short form of a dump, see ``SchemaDump``.
@Suite struct DumpedPartitionTests {
    private static let table = "CREATE TABLE tidings.part (\n    name text\n)\nPARTITION BY HASH (name);"
    private static let right = "GRANT SELECT ON TABLE tidings.part TO reader;"

    private static func partition(_ number: Int) -> [String] {
        [
            "CREATE TABLE tidings.part_\(number) (\n    name text\n);",
            "ALTER TABLE ONLY tidings.part ATTACH PARTITION tidings.part_\(number) FOR VALUES WITH (modulus 12, remainder \(number));",
            "CREATE INDEX part_\(number)_name_idx ON tidings.part_\(number) USING btree (name);",
        ]
    }

    private static func line(_ numbers: String) -> String {
        "-- Partitions like part_0, with the same columns, indexes and rights: \(numbers)"
    }

    private static func short(_ statements: [String]) -> [String] {
        SchemaDump.withoutEqualPartitions(statements.joined(separator: "\n\n")).split(separator: "\n\n").map { String($0) }
    }

    @Test func equalPartitionsBecomeOneLine() {
        let dump: [String] = [Self.table] + [0, 1, 10, 11, 2].flatMap(Self.partition) + [Self.right]
        let first = Self.partition(0)
        #expect(Self.short(dump) == [Self.table, first[0], Self.line("1, 2, 10, 11"), first[1], first[2], Self.right])
    }

    @Test(arguments: [
        "CREATE INDEX part_1_more_idx ON tidings.part_1 USING btree (name, name);", "GRANT SELECT ON TABLE tidings.part_1 TO reader;",
    ])
    func aPartitionWithAnotherStatementStaysWhole(_ more: String) {
        let first = Self.partition(0)
        let dump: [String] = [Self.table] + first + Self.partition(1) + [more] + Self.partition(2) + [Self.right]
        let expected: [String] = [Self.table, first[0], Self.line("2"), first[1], first[2]] + Self.partition(1) + [more, Self.right]
        #expect(Self.short(dump) == expected)
    }

    @Test func aPartitionWithoutAStatementStaysWhole() {
        let dump: [String] = [Self.table] + Self.partition(0) + Array(Self.partition(1).dropLast()) + [Self.right]
        #expect(Self.short(dump) == dump)
    }

    @Test func aStatementWithTwoPartitionsStays() {
        let view = "CREATE VIEW tidings.two AS\n SELECT part_1.name FROM tidings.part_1\n UNION SELECT part_2.name FROM tidings.part_2;"
        let first = Self.partition(0)
        let dump: [String] = [Self.table] + (0...2).flatMap(Self.partition) + [view, Self.right]
        #expect(Self.short(dump) == [Self.table, first[0], Self.line("1, 2"), first[1], first[2], view, Self.right])
    }

    /// The last table has a name that only resembles that of a partition, and the first is divided by time.
    @Test func anotherTableStays() {
        let dump: [String] = [
            "CREATE TABLE tidings.day (\n    at date\n)\nPARTITION BY RANGE (at);", "CREATE TABLE tidings.day_0 (\n    at date\n);",
            "CREATE TABLE tidings.day_1 (\n    at date\n);", Self.table, "CREATE TABLE tidings.part_0 (\n    name text\n);",
            "CREATE TABLE tidings.part_1st (\n    name text\n);",
        ]
        #expect(Self.short(dump) == dump)
    }

    @Test func theEndOfTheTextIsKept() {
        #expect(SchemaDump.withoutEqualPartitions("CREATE SCHEMA a;\n\nCREATE SCHEMA b;\n\n") == "CREATE SCHEMA a;\n\nCREATE SCHEMA b;\n\n")
    }
}
