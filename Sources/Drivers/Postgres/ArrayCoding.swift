// Binary array format (PostgreSQL source, array_send and array_recv). The header has the number of dimensions, the null flag and the
// element type, then the length and lower bound of each dimension. Each element follows with its length; -1 means null.

/// A one-dimensional array of the element's type. `[Element?]` may hold null elements. `[UInt8]` is `bytea`.
///
/// Arrays of arrays cannot be bound, except `[[UInt8]]`, which is `bytea[]`.
extension Array: PostgresEncodable where Element: PostgresEncodable {
    public static var postgresType: PostgresType { Element.postgresArrayType }

    public func encode(into bytes: inout [UInt8]) { Element.encodeArray(self, into: &bytes) }
}

/// Decodes arrays of one dimension. Two or more dimensions are an error.
extension Array: PostgresDecodable where Element: PostgresDecodable {
    public init(postgres cell: PostgresCell) throws(PostgresError) { self = try Element.decodeArray(postgres: cell) }
}

extension PostgresEncodable {
    public static func encodeArray(_ elements: [Self], into bytes: inout [UInt8]) {
        bytes.appendBigEndian(Int32(elements.isEmpty ? 0 : 1))
        bytes.appendBigEndian(Int32(elements.contains { $0.isPostgresNull } ? 1 : 0))
        bytes.appendBigEndian(postgresType.oid)
        guard !elements.isEmpty else { return }
        bytes.appendBigEndian(Int32(clamping: elements.count))
        bytes.appendBigEndian(ArrayFormat.firstIndex)
        for element in elements { element.encodeWithLength(into: &bytes) }
    }

    /// Appends the length in bytes and then the value, as arrays and COPY require. Null is the length -1 without a value.
    func encodeWithLength(into bytes: inout [UInt8]) {
        let lengthOffset = bytes.count
        bytes.appendBigEndian(ArrayFormat.null)
        guard !isPostgresNull else { return }
        encode(into: &bytes)
        bytes.overwriteBigEndian(Int32(clamping: bytes.count - lengthOffset - 4), at: lengthOffset)
    }
}

extension PostgresDecodable {
    public static func decodeArray(postgres cell: PostgresCell) throws(PostgresError) -> [Self] {
        let elements = try unsafe cell.readAnyType { bytes throws(PostgresError) in try unsafe ArrayFormat.elements(of: bytes, in: cell) }
        var values: [Self] = []
        values.reserveCapacity(elements.count)
        for element in elements { values.append(try Self(postgres: element)) }
        return values
    }
}

enum ArrayFormat {
    /// PostgreSQL's arrays start at index 1 by default.
    static let firstIndex: Int32 = 1
    static let null: Int32 = -1

    /// The elements of a one-dimensional array, in order.
    static func elements(of bytes: UnsafeRawBufferPointer, in cell: PostgresCell) throws(PostgresError) -> [PostgresCell] {
        guard let dimensions = unsafe bytes.bigEndian(Int32.self), let type = unsafe bytes.bigEndian(UInt32.self, at: 8) else {
            throw .decoding("the column has type \(cell.type), expected an array")
        }
        if dimensions == 0 { return [] }
        guard dimensions == 1, let count = unsafe bytes.bigEndian(Int32.self, at: 12), count >= 0, Int(count) <= bytes.count / 4 else {
            throw .decoding("the array does not have one dimension")
        }
        var elements: [PostgresCell] = []
        elements.reserveCapacity(Int(count))
        var offset = 20
        for _ in 0..<count {
            guard let length = unsafe bytes.bigEndian(Int32.self, at: offset) else { throw .decoding("the array is cut short") }
            offset += 4
            guard offset + Int(max(length, 0)) <= bytes.count else { throw .decoding("the array is cut short") }
            elements.append(cell.element(type: type, at: offset, count: Int(length)))
            offset += Int(max(length, 0))
        }
        return elements
    }
}
