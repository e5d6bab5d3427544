/// A type of PostgreSQL: its object identifier, and the identifier of its array type.
///
/// The identifiers are fixed in PostgreSQL's catalogue (`pg_type.dat`) and the same on every server.
public struct PostgresType: Sendable, Hashable {
    public var oid: UInt32
    /// The identifier of the array type. 0 if no array type is supported.
    public var arrayOID: UInt32

    public init(oid: UInt32, arrayOID: UInt32) {
        self.oid = oid
        self.arrayOID = arrayOID
    }

    public static let bool = PostgresType(oid: 16, arrayOID: 1000)
    public static let bytea = PostgresType(oid: 17, arrayOID: 1001)
    /// The one-byte internal type `"char"`, as system catalogues use it.
    public static let char = PostgresType(oid: 18, arrayOID: 1002)
    public static let name = PostgresType(oid: 19, arrayOID: 1003)
    public static let int8 = PostgresType(oid: 20, arrayOID: 1016)
    public static let int2 = PostgresType(oid: 21, arrayOID: 1005)
    public static let int4 = PostgresType(oid: 23, arrayOID: 1007)
    public static let text = PostgresType(oid: 25, arrayOID: 1009)
    public static let json = PostgresType(oid: 114, arrayOID: 199)
    public static let float4 = PostgresType(oid: 700, arrayOID: 1021)
    public static let float8 = PostgresType(oid: 701, arrayOID: 1022)
    /// The type of an untyped literal, which the server sends as text.
    public static let unknown = PostgresType(oid: 705, arrayOID: 0)
    public static let bpchar = PostgresType(oid: 1042, arrayOID: 1014)
    public static let varchar = PostgresType(oid: 1043, arrayOID: 1015)
    public static let timestamptz = PostgresType(oid: 1184, arrayOID: 1185)
    public static let uuid = PostgresType(oid: 2950, arrayOID: 2951)
    public static let jsonb = PostgresType(oid: 3802, arrayOID: 3807)

    /// Types whose values are text, in which a zero byte is not allowed.
    static let textual: [PostgresType] = [.text, .varchar, .bpchar, .name, .json, .jsonb]
}
