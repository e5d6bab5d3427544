/// One value of a result: its type, and its bytes as the server sent them.
///
/// It keeps the whole result in memory for as long as it lives: decode and let go.
@safe
// The bytes are never written again after libpq parsed them, and `owner` keeps them allocated.
public struct PostgresCell: @unchecked Sendable {
    private let owner: ResultStorage
    private let start: UnsafeRawPointer?
    private let count: Int
    /// The type's object identifier.
    public let type: UInt32

    /// `start` is nil for null and must otherwise point to `count` bytes inside `owner`.
    init(owner: ResultStorage, type: UInt32, start: UnsafeRawPointer?, count: Int) {
        self.owner = owner
        self.type = type
        unsafe self.start = unsafe start
        self.count = count
    }

    public var isNull: Bool { unsafe start == nil }

    /// Decodes the value; see the type's own rules on which column types it takes.
    public func decode<Value: PostgresDecodable>(_: Value.Type = Value.self) throws(PostgresError) -> Value { try Value(postgres: self) }

    /// Calls `body` with the bytes when the value is not null and has the type.
    func read<Value>(
        _ expected: PostgresType, body: (UnsafeRawBufferPointer) throws(PostgresError) -> Value
    ) throws(PostgresError) -> Value {
        guard type == expected.oid else { throw .decoding("the column has type \(type), expected \(expected.oid)") }
        return try unsafe readAnyType(body)
    }

    /// As ``read(_:body:)`` where the caller has looked at the type itself.
    func readAnyType<Value>(_ body: (UnsafeRawBufferPointer) throws(PostgresError) -> Value) throws(PostgresError) -> Value {
        guard let start = unsafe start else { throw .decoding("the value is null") }
        return try unsafe body(UnsafeRawBufferPointer(start: start, count: count))
    }

    /// A part of the value as a value of its own, which an array's elements are. It must lie within the bytes; a negative `count` makes it null.
    func element(type: UInt32, at offset: Int, count: Int) -> PostgresCell {
        guard let start = unsafe start, count >= 0 else { return unsafe PostgresCell(owner: owner, type: type, start: nil, count: 0) }
        precondition(offset >= 0 && offset + count <= self.count, "the element lies outside its array")
        return unsafe PostgresCell(owner: owner, type: type, start: start + offset, count: count)
    }
}

extension UnsafeRawBufferPointer {
    /// An integer in network byte order; nil when the bytes end before it.
    func bigEndian<Value: FixedWidthInteger & BitwiseCopyable>(_: Value.Type, at offset: Int = 0) -> Value? {
        guard offset >= 0, offset + MemoryLayout<Value>.size <= count else { return nil }
        return Value(bigEndian: unsafe loadUnaligned(fromByteOffset: offset, as: Value.self))
    }

    /// The whole buffer as one integer; throws unless it has exactly that size.
    func whole<Value: FixedWidthInteger & BitwiseCopyable>(_ type: Value.Type) throws(PostgresError) -> Value {
        guard count == MemoryLayout<Value>.size, let value = unsafe bigEndian(type) else {
            throw .decoding("\(count) bytes where \(MemoryLayout<Value>.size) were expected")
        }
        return value
    }
}
