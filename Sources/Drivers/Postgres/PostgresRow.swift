/// One row of a result.
public struct PostgresRow: Sendable {
    private let storage: ResultStorage
    private let index: Int

    init(storage: ResultStorage, index: Int) {
        self.storage = storage
        self.index = index
    }

    /// The number of columns.
    public var count: Int { storage.columnCount }

    /// The value at the position of a column, counted from 0.
    public subscript(column: Int) -> PostgresCell {
        precondition(column >= 0 && column < count, "column \(column) of \(count)")
        return storage.cell(row: index, column: column)
    }

    /// Decodes the whole row: `let (id, name) = try row.decode((Int, String).self)`.
    ///
    /// Throws `.decoding` with the name of the column, unless the number of columns and each type match.
    public func decode<each Value: PostgresDecodable>(_: (repeat each Value).Type) throws(PostgresError) -> (repeat each Value) {
        var expected = 0
        for _ in repeat (each Value).self { expected += 1 }
        guard expected == count else { throw .decoding("the row has \(count) columns, \(expected) are decoded") }
        var next = 0
        func decodeNext<Column: PostgresDecodable>(_: Column.Type) throws(PostgresError) -> Column {
            defer { next += 1 }
            return try decode(at: next, as: Column.self)
        }
        return (repeat try decodeNext((each Value).self))
    }

    /// Decodes a row of one column.
    public func decode<Value: PostgresDecodable>(_ type: Value.Type) throws(PostgresError) -> Value {
        guard count == 1 else { throw .decoding("the row has \(count) columns, 1 is decoded") }
        return try decode(at: 0, as: type)
    }

    /// Decodes the first column with this name, in the server's spelling.
    public func decode<Value: PostgresDecodable>(_ column: String, as type: Value.Type = Value.self) throws(PostgresError) -> Value {
        guard let position = storage.columnNames.firstIndex(of: column) else {
            throw .decoding("the row has no column \(column)")
        }
        return try decode(at: position, as: type)
    }

    private func decode<Value: PostgresDecodable>(at position: Int, as type: Value.Type) throws(PostgresError) -> Value {
        do throws(PostgresError) {
            return try Value(postgres: self[position])
        } catch {
            throw .decoding("column \(storage.columnNames[position]): \(error.message)")
        }
    }
}
