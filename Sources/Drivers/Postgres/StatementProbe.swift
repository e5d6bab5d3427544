/// Makes sessions ask the server for the form of each planned statement, instead of running it. Each gets a made-up answer with the columns
/// that the server describes.
///
/// This is how a test sends every statement of a program to a migrated database: the server checks names and types, and the reader of the
/// answer finds its columns or throws. Statements that the server does not plan, such as BEGIN and COMMIT, are run.
package struct StatementProbe: Sendable {
    /// The number of rows of a made-up answer, by the text of its statement. A change answers with as many affected rows.
    package var rows: @Sendable (_ text: String) -> Int
    /// The value of a column, by its name and type. Nil makes the value null.
    package var value: @Sendable (_ column: String, _ type: PostgresType) -> (any PostgresEncodable)?
    /// Called with the text of each statement that the server has described.
    package var note: @Sendable (_ text: String) -> Void

    package init(
        rows: @escaping @Sendable (_ text: String) -> Int,
        value: @escaping @Sendable (_ column: String, _ type: PostgresType) -> (any PostgresEncodable)?,
        note: @escaping @Sendable (_ text: String) -> Void = { _ in }
    ) {
        self.rows = rows
        self.value = value
        self.note = note
    }
}
