import TidingsStore

/// The text of a dump by `pg_dump`, made short for its review.
///
/// A table that is divided by hash has many partitions that differ only in their number. The short dump keeps partition 0, and a line that
/// names the partitions like it. A partition that differs in any statement keeps all of its statements.
public enum SchemaDump {
    /// Removes the statements of each partition that is like partition 0 of its table. A line after the first statement of partition 0 has
    /// the numbers of these partitions. Empty lines separate the statements of the dump.
    public static func withoutEqualPartitions(_ dump: String) -> String {
        let statements = dump.split(separator: "\n\n", omittingEmptySubsequences: false).map { String($0) }
        let tables = statements.compactMap { tableDividedByHash($0) }
        let partitions = Self.partitions(of: tables, in: statements)
        var removed: Set<Int> = []
        var lines: [Int: String] = [:]
        for table in tables {
            guard let first = partitions[Partition(table: table, number: 0)], let place = first.first?.index else { continue }
            let forms = first.map(\.form)
            let equal = partitions.filter { partition, statements in
                partition.table == table && partition.number != 0 && statements.map(\.form) == forms
            }
            guard !equal.isEmpty else { continue }
            for statement in equal.values.joined() { removed.insert(statement.index) }
            let numbers = equal.keys.map(\.number).sorted().map { "\($0)" }.joined(separator: ", ")
            lines[place] = "-- Partitions like \(table)_0, with the same columns, indexes and rights: \(numbers)"
        }
        var kept: [String] = []
        for (index, statement) in statements.enumerated() where !removed.contains(index) {
            kept.append(statement)
            if let line = lines[index] { kept.append(line) }
        }
        return kept.joined(separator: "\n\n")
    }

    /// The text of the file with a dump: the number of the baseline, and the dump.
    ///
    /// The number is that of the former file. If the dump differs from the former one in more than comments, it is one more.
    ///
    /// - Parameter isReleased: whether steps follow the baseline. Its number then never changes.
    public static func file(of dump: String, after former: String, isReleased: Bool) -> String {
        let number = Migration.baselineNumber(in: former) ?? 0
        let statements = former.split(separator: "\n\n", omittingEmptySubsequences: false).dropFirst()
        let isNew = effective(statements) != effective(dump.split(separator: "\n\n", omittingEmptySubsequences: false)[...])
        return "\(Migration.baselineMark)\(isNew && !isReleased ? number + 1 : number)\n\n\(dump)"
    }

    /// The statements that a program notices.
    private static func effective(_ statements: ArraySlice<Substring>) -> [Substring] {
        statements.filter { !$0.hasPrefix("COMMENT ON ") }
    }

    /// The name of the table if the statement creates a table that is divided by hash.
    private static func tableDividedByHash(_ statement: String) -> String? {
        let start = "CREATE TABLE tidings."
        guard statement.hasPrefix(start), statement.contains("PARTITION BY HASH") else { return nil }
        return String(statement.dropFirst(start.count).prefix { $0 != " " })
    }

    /// The statements of each partition, in their order. A statement that names several partitions belongs to none of them.
    private static func partitions(of tables: [String], in statements: [String]) -> [Partition: [PartitionStatement]] {
        var partitions: [Partition: [PartitionStatement]] = [:]
        for (index, text) in statements.enumerated() {
            let named = NamedPartitions(in: text, of: tables)
            guard named.all.count == 1, let partition = named.all.first else { continue }
            partitions[partition, default: []].append(PartitionStatement(index: index, form: named.form))
        }
        return partitions
    }
}

/// A partition of a table that is divided by hash.
private struct Partition: Hashable {
    let table: String
    let number: Int
}

/// A statement that names one partition.
private struct PartitionStatement {
    /// The place of the statement in the dump.
    let index: Int
    /// The statement as it is for partition 0.
    let form: String
}

/// The partitions that a statement names.
private struct NamedPartitions {
    private(set) var all: Set<Partition> = []
    /// The statement with 0 in place of the number of each partition.
    private(set) var form = ""

    init(in statement: String, of tables: [String]) {
        var rest = statement[...]
        while !rest.isEmpty {
            let gap = rest.prefix { !Self.isPartOfName($0) }
            rest = rest[gap.endIndex...]
            let name = rest.prefix { Self.isPartOfName($0) }
            rest = rest[name.endIndex...]
            let plain = take(name, of: tables)
            form.append(contentsOf: gap)
            form.append(contentsOf: plain)
        }
        for partition in all { form = form.replacing("remainder \(partition.number))", with: "remainder 0)") }
    }

    /// Returns the name with 0 in place of the number, if it is the name of a partition or of an index of a partition.
    private mutating func take(_ name: Substring, of tables: [String]) -> String {
        for table in tables where name.hasPrefix(table + "_") {
            let tail = name.dropFirst(table.count + 1)
            let digits = tail.prefix { $0.isASCII && $0.isNumber }
            let end = tail.dropFirst(digits.count)
            guard let number = Int(digits), end.isEmpty || end.first == "_" else { continue }
            all.insert(Partition(table: table, number: number))
            return "\(table)_0\(end)"
        }
        return String(name)
    }

    private static func isPartOfName(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "_"
    }
}
