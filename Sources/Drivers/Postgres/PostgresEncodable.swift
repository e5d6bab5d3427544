/// A value that can be bound to a statement, in PostgreSQL's binary format.
///
/// To conform, a type of another module forwards ``postgresType`` and ``encode(into:)`` to one of the types here. The remaining
/// requirements have suitable defaults or implementations.
public protocol PostgresEncodable: Sendable {
    /// The type that the statement declares to the server, so that the server never guesses it from context.
    static var postgresType: PostgresType { get }
    /// The type of `[Self]`.
    static var postgresArrayType: PostgresType { get }
    /// Whether the bound value is null. If true, ``encode(into:)`` is not called.
    var isPostgresNull: Bool { get }
    /// Appends the value in the binary format of ``postgresType``, without its length.
    func encode(into bytes: inout [UInt8])
    /// Appends many values in the binary format of ``postgresArrayType``.
    static func encodeArray(_ elements: [Self], into bytes: inout [UInt8])
}

extension PostgresEncodable {
    public static var postgresArrayType: PostgresType { PostgresType(oid: postgresType.arrayOID, arrayOID: 0) }
    public var isPostgresNull: Bool { false }
}

extension Optional: PostgresEncodable where Wrapped: PostgresEncodable {
    public static var postgresType: PostgresType { Wrapped.postgresType }

    public var isPostgresNull: Bool { self?.isPostgresNull ?? true }

    public func encode(into bytes: inout [UInt8]) { self?.encode(into: &bytes) }
}

extension [UInt8] {
    /// Appends an integer in network byte order.
    mutating func appendBigEndian(_ value: some FixedWidthInteger) {
        unsafe Swift.withUnsafeBytes(of: value.bigEndian) { unsafe append(contentsOf: $0) }
    }

    /// Overwrites 4 existing bytes from `offset` with an integer in network byte order.
    mutating func overwriteBigEndian(_ value: Int32, at offset: Int) {
        for index in 0..<4 { self[offset + index] = UInt8(truncatingIfNeeded: value >> (24 - 8 * index)) }
    }
}
