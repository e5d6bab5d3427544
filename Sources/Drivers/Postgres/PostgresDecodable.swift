/// A value that can be read from a column in PostgreSQL's binary format.
///
/// To conform, a type of another module decodes one of the types here and converts the result. If the value is wrong, it throws
/// ``PostgresError/decoding(_:)`` with the reason.
public protocol PostgresDecodable {
    /// Decodes a value. Throws `.decoding` when the column has another type, is null, or holds a value outside this type.
    init(postgres cell: PostgresCell) throws(PostgresError)
    /// Reads a one-dimensional array.
    static func decodeArray(postgres cell: PostgresCell) throws(PostgresError) -> [Self]
}

extension Optional: PostgresDecodable where Wrapped: PostgresDecodable {
    public init(postgres cell: PostgresCell) throws(PostgresError) {
        self = cell.isNull ? nil : .some(try Wrapped(postgres: cell))
    }
}
