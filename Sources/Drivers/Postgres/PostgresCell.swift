/// One value of a result: its type, and its bytes as the server sent them.
///
/// A cell keeps the whole result in memory as long as it lives. Decode it and release it soon.
@safe
// Sendable, because nothing writes the bytes after libpq has parsed them, and `owner` keeps them allocated.
public struct PostgresCell: @unchecked Sendable {
    private let owner: ResultStorage
    private let start: UnsafeRawPointer?
    private let count: Int
    /// The type's object identifier.
    public let type: UInt32

    /// Creates a cell. `start` is nil for null; otherwise it must point to `count` bytes inside `owner`.
    init(owner: ResultStorage, type: UInt32, start: UnsafeRawPointer?, count: Int) {
        self.owner = owner
        self.type = type
        unsafe self.start = unsafe start
        self.count = count
    }

    public var isNull: Bool { unsafe start == nil }

    /// Decodes the value. Each type documents the column types that it accepts.
    public func decode<Value: PostgresDecodable>(_: Value.Type = Value.self) throws(PostgresError) -> Value { try Value(postgres: self) }

    /// Calls `body` with the bytes. Throws `.decoding` if the column has another type or the value is null.
    func read<Value>(
        _ expected: PostgresType, body: (UnsafeRawBufferPointer) throws(PostgresError) -> Value
    ) throws(PostgresError) -> Value {
        guard type == expected.oid else { throw .decoding("the column has type \(type), expected \(expected.oid)") }
        return try unsafe readAnyType(body)
    }

    /// The same as ``read(_:body:)``, for callers that have checked the type already.
    func readAnyType<Value>(_ body: (UnsafeRawBufferPointer) throws(PostgresError) -> Value) throws(PostgresError) -> Value {
        guard let start = unsafe start else { throw .decoding("the value is null") }
        return try unsafe body(UnsafeRawBufferPointer(start: start, count: count))
    }

    /// A part of the value as a cell of its own, for the elements of an array. It must lie within the bytes. A negative `count` makes it
    /// null.
    func element(type: UInt32, at offset: Int, count: Int) -> PostgresCell {
        guard let start = unsafe start, count >= 0 else { return unsafe PostgresCell(owner: owner, type: type, start: nil, count: 0) }
        precondition(offset >= 0 && offset + count <= self.count, "the element lies outside its array")
        return unsafe PostgresCell(owner: owner, type: type, start: start + offset, count: count)
    }
}

extension UnsafeRawBufferPointer {
    /// An integer in network byte order. Nil when there are too few bytes.
    func bigEndian<Value: FixedWidthInteger & BitwiseCopyable>(_: Value.Type, at offset: Int = 0) -> Value? {
        guard offset >= 0, offset + MemoryLayout<Value>.size <= count else { return nil }
        return Value(bigEndian: unsafe loadUnaligned(fromByteOffset: offset, as: Value.self))
    }

    /// The whole buffer as one integer. Throws unless the buffer has exactly the size of the integer.
    func whole<Value: FixedWidthInteger & BitwiseCopyable>(_ type: Value.Type) throws(PostgresError) -> Value {
        guard count == MemoryLayout<Value>.size, let value = unsafe bigEndian(type) else {
            throw .decoding("\(count) bytes where \(MemoryLayout<Value>.size) were expected")
        }
        return value
    }
}
