internal import CLibpq

/// All rows of one statement, held in memory as the server sent them. Limit results that can grow with LIMIT.
public struct PostgresResult: Sendable {
    let storage: ResultStorage

    init(storage: ResultStorage) { self.storage = storage }

    public var rows: PostgresRows { PostgresRows(storage: storage) }

    /// The number of rows that INSERT, UPDATE, DELETE, MERGE, COPY or SELECT reports. 0 for other statements.
    public var affectedRows: Int { storage.affectedRows }

    /// The columns' names in order.
    public var columns: [String] { storage.columnNames }

    /// The statement's name in the server's command tag: `INSERT`, `COMMIT`, `ROLLBACK` …
    var command: Substring { storage.commandTag.split(separator: " ").first ?? "" }
}

/// The rows of a result; a view, without copies.
public struct PostgresRows: RandomAccessCollection, Sendable {
    fileprivate let storage: ResultStorage

    public var startIndex: Int { 0 }
    public var endIndex: Int { storage.rowCount }
    public subscript(position: Int) -> PostgresRow {
        precondition(position >= 0 && position < endIndex, "row \(position) of \(endIndex)")
        return PostgresRow(storage: storage, index: position)
    }
}

/// Owns libpq's result and frees it.
@safe
// Sendable, because libpq never writes to a finished result, and its accessors only read ("Behavior in Threaded Programs").
final class ResultStorage: @unchecked Sendable {
    let pointer: OpaquePointer
    let rowCount: Int
    /// The columns' names in order. Kept, because each row finds its columns by name.
    let columnNames: [String]

    var columnCount: Int { columnNames.count }

    init(taking pointer: OpaquePointer) {
        unsafe self.pointer = unsafe pointer
        rowCount = unsafe Int(PQntuples(pointer))
        columnNames = unsafe (0..<PQnfields(pointer)).map { unsafe PostgresSession.text(of: PQfname(pointer, $0)) }
    }

    deinit { unsafe PQclear(pointer) }

    var status: ExecStatusType { unsafe PQresultStatus(pointer) }
    var commandTag: String { unsafe PostgresSession.text(of: PQcmdStatus(pointer)) }
    var affectedRows: Int { unsafe Int(PostgresSession.text(of: PQcmdTuples(pointer))) ?? 0 }

    /// The cell at `row` and `column`, which must exist.
    func cell(row: Int, column: Int) -> PostgresCell {
        let (row, column) = (Int32(row), Int32(column))
        let isNull = unsafe PQgetisnull(pointer, row, column) == 1
        return unsafe PostgresCell(
            owner: self, type: PQftype(pointer, column), start: isNull ? nil : UnsafeRawPointer(PQgetvalue(pointer, row, column)),
            count: Int(PQgetlength(pointer, row, column)))
    }
}
