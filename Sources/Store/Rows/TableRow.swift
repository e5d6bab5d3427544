package import TidingsPostgres

/// A row of a table that the data path writes.
///
/// The table is declared once: its name, and its columns with the members of a row from which they come. The INSERT, the arrays that carry
/// many rows in one statement, the words of closed lists, and the columns that tell of a person follow from the declaration.
package protocol TableRow: Sendable {
    static var table: Table<Self> { get }
}

/// A table that holds rows of one type.
package struct Table<Row: Sendable>: Sendable {
    package let name: String
    /// Every column that rows hold.
    package let columns: [Column<Row>]
    /// Columns that hold or name a person, or something that the person was sent, see ``PersonalTable``.
    let personal: [Column<Row>]
    /// The columns that tell nothing of a person.
    let other: [Column<Row>]
    /// The columns that the INSERT computes, with their expressions.
    package let computed: [(name: String, expression: SQL)]
    private let insertion: SQL

    /// - Parameter computed: columns that no row holds, each with an expression over the source of an INSERT. They tell nothing of a person.
    package init(
        _ name: String, personal: [Column<Row>], other: [Column<Row>], computing computed: KeyValuePairs<String, SQL> = [:]
    ) {
        self.name = name
        self.personal = personal
        self.other = other
        self.computed = computed.map { ($0.key, $0.value) }
        columns = other + personal
        let names = columns.map(\.name) + computed.map(\.key)
        insertion = "insert into \(unsafe: name) (\(unsafe: names.joined(separator: ", "))) select "
    }

    /// The name without its schema and its alias.
    var plainName: String { String(name.prefix { $0 != " " }.drop { $0 != "." }.dropFirst()) }

    /// An INSERT that adds a row for each row of `source`.
    ///
    /// - Parameters:
    ///   - source: the text after FROM. A WHERE clause may end it.
    ///   - expressions: the values of columns, over `source`. A column without an expression has its ``Column/standard``.
    package func insert(from source: SQL, setting expressions: [Column<Row>: SQL] = [:]) -> SQL {
        insertion + values { expressions[$0] ?? $0.standard } + " from " + source
    }

    /// An INSERT of rows. Nil if there are none.
    ///
    /// - Parameter expressions: the values of columns that do not come from the rows.
    package func insert(_ rows: [Row], setting expressions: [Column<Row>: SQL] = [:]) -> SQL? {
        guard !rows.isEmpty else { return nil }
        return insertion + values { expressions[$0] ?? $0.received } + " from " + rows.relation("told", columns)
    }

    /// The columns of a table alias, for SELECT and RETURNING: `w.notification_id, w.ordinal, …`.
    func list(of alias: String) -> SQL { SQL(unsafeSQL: columns.map { "\(alias).\($0.name)" }.joined(separator: ", ")) }

    private func values(_ value: (Column<Row>) -> SQL) -> SQL {
        (columns.map(value) + computed.map(\.expression)).joined(separator: ", ")
    }
}

extension TableRow {
    /// See ``Table/insert(from:setting:)``.
    package static func insert(from source: SQL, setting expressions: [Column<Self>: SQL] = [:]) -> SQL {
        table.insert(from: source, setting: expressions)
    }

    /// See ``Table/insert(_:setting:)``.
    package static func insert(_ rows: [Self], setting expressions: [Column<Self>: SQL] = [:]) -> SQL? {
        table.insert(rows, setting: expressions)
    }
}
