/// Rows for ``PostgresConnection/copyIn(_:rows:deadline:)`` in COPY's binary format (PostgreSQL, COPY, "Binary Format").
///
/// The format carries no types. Each value must be encoded as exactly the column's type: an `int4` column takes `Int32`, not `Int`. The
/// server refuses other types with SQLSTATE 22P03. If the sizes happen to agree, the server misreads the value instead.
public struct CopyBuffer: Sendable {
    /// The number of bytes passed to libpq at a time.
    static let chunkSize = 64 << 10

    private static let signature: [UInt8] = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0x00]
    private static let endOfRows: Int16 = -1

    private var bytes: [UInt8]
    private var missingFields = 0
    private var defect: String?
    /// The number of rows begun so far.
    public private(set) var rowCount = 0

    public init() {
        bytes = Self.signature
        bytes.appendBigEndian(Int32(0))  // flags
        bytes.appendBigEndian(Int32(0))  // length of the header's extension
    }

    /// The size in bytes so far, for callers that send the rows from a certain size on.
    public var byteCount: Int { bytes.count }

    /// Begins a row of `fieldCount` values: 1 to 1,600, the limit of columns in a table. The row before must be complete.
    public mutating func beginRow(fieldCount: Int) {
        precondition(missingFields == 0, "the row before lacks \(missingFields) values")
        precondition((1...1600).contains(fieldCount), "a row of \(fieldCount) values")
        missingFields = fieldCount
        rowCount += 1
        bytes.appendBigEndian(Int16(fieldCount))
    }

    /// Appends the next value of the row, which may be null.
    public mutating func append<Value: PostgresEncodable>(_ value: Value) {
        precondition(missingFields > 0, "the row has all its values")
        missingFields -= 1
        let start = bytes.count + 4
        value.encodeWithLength(into: &bytes)
        if let found = Bindings.defect(of: Value.postgresType, in: bytes[start...]) { defect = defect ?? "row \(rowCount): \(found)" }
    }

    /// The complete data with its end mark. Throws `.invalidStatement` for a value that PostgreSQL cannot store.
    func finished() throws(PostgresError) -> [UInt8] {
        precondition(missingFields == 0, "the last row lacks \(missingFields) values")
        if let defect { throw PostgresError(.invalidStatement, message: defect) }
        var whole = bytes
        whole.appendBigEndian(Self.endOfRows)
        return whole
    }
}
