/// A statement together with the meaning of its answer.
///
/// ```swift
/// let names = try await pool.query(.rows("select name from city where size > \(size)") { try $0.decode(String.self) })
/// ```
///
/// Statements that travel together go into a ``RoundTrip``.
public struct Statement<Answer: Sendable>: Sendable {
    let sql: SQL
    let read: @Sendable (PostgresResult) throws -> Answer

    /// - Parameter read: reads the answer. An error that it throws is thrown to the caller, and a transaction then rolls back.
    public init(_ sql: SQL, read: @escaping @Sendable (PostgresResult) throws -> Answer) {
        self.sql = sql
        self.read = read
    }

    /// The text of the statement.
    package var text: String { sql.text }

    /// Another statement whose answer is read in the same way.
    package func reading(_ sql: SQL) -> Statement { Statement(sql, read: read) }

    /// The same statement with an answer made from this one.
    public func map<Other>(_ transform: @escaping @Sendable (Answer) throws -> Other) -> Statement<Other> {
        Statement<Other>(sql) { [read] result in try transform(read(result)) }
    }
}

extension Statement {
    /// All rows, each read by `read`.
    public static func rows<Row>(
        _ sql: SQL, _ read: @escaping @Sendable (PostgresRow) throws -> Row
    ) -> Statement<[Row]> where Answer == [Row] {
        Statement(sql) { try $0.rows.map(read) }
    }

    /// The first row. Nil if there is none.
    public static func first<Row>(
        _ sql: SQL, _ read: @escaping @Sendable (PostgresRow) throws -> Row
    ) -> Statement<Row?> where Answer == Row? {
        Statement(sql) { try $0.rows.first.map(read) }
    }

    /// The one row of a statement that always has one. Throws `.decoding` if there is none.
    public static func one(_ sql: SQL, _ read: @escaping @Sendable (PostgresRow) throws -> Answer) -> Statement {
        Statement(sql) { result in
            guard let row = result.rows.first else { throw PostgresError.decoding("the statement has no row") }
            return try read(row)
        }
    }
}

extension Statement where Answer: PostgresDecodable {
    /// The only value of a statement that always has one row of one column. Throws `.decoding` if there is none.
    public static func value(_ sql: SQL, as type: Answer.Type = Answer.self) -> Statement { .one(sql) { try $0.decode(Answer.self) } }
}

extension Statement<PostgresRows> {
    /// The rows as they came.
    public static func rows(_ sql: SQL) -> Statement { Statement(sql) { $0.rows } }
}

extension Statement<Int> {
    /// The number of rows that the statement inserted, changed, deleted or selected.
    public static func count(_ sql: SQL) -> Statement { Statement(sql) { $0.affectedRows } }
}

extension Statement<Bool> {
    /// Whether the statement has a row.
    public static func exists(_ sql: SQL) -> Statement { Statement(sql) { !$0.rows.isEmpty } }
}

extension Statement<Void> {
    /// A statement whose answer tells nothing.
    public static func done(_ sql: SQL) -> Statement { Statement(sql) { _ in } }
}
