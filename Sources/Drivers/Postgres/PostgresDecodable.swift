/// A value that can be read from a column in PostgreSQL's binary format.
///
/// A type of another module conforms by decoding one of the types here and converting; ``PostgresError/decoding(_:)`` says what was
/// wrong with the value.
public protocol PostgresDecodable {
    /// Throws `.decoding` when the column has another type, is null, or holds a value this type cannot.
    init(postgres cell: PostgresCell) throws(PostgresError)
    /// Reads a one-dimensional array.
    static func decodeArray(postgres cell: PostgresCell) throws(PostgresError) -> [Self]
}

extension Optional: PostgresDecodable where Wrapped: PostgresDecodable {
    public init(postgres cell: PostgresCell) throws(PostgresError) {
        self = cell.isNull ? nil : .some(try Wrapped(postgres: cell))
    }
}
