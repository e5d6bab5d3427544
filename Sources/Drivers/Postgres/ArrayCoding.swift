// Binary array format (PostgreSQL source, array_send and array_recv): dimensions, null flag, element type, then for each dimension its
// length and lower bound, then each element with its length, -1 for null.

/// A one-dimensional array of the element's type, null elements allowed for `[Element?]`. `[UInt8]` is `bytea`.
///
/// Arrays of arrays are refused when they are sent, except `[[UInt8]]`, which is `bytea[]`.
extension Array: PostgresEncodable where Element: PostgresEncodable {
    public static var postgresType: PostgresType { Element.postgresArrayType }

    public func encode(into bytes: inout [UInt8]) { Element.encodeArray(self, into: &bytes) }
}

/// Reads one dimension; two or more are an error.
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

    /// Appends the value behind its length in bytes, as arrays and COPY want it; null is the length -1.
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
    /// PostgreSQL's arrays start at 1 unless told otherwise.
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
