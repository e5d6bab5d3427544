import Glibc

/// The values of a statement, encoded one after another in one buffer.
struct Bindings: Sendable {
    /// The largest number of parameters of one statement (PostgreSQL, appendix K): the wire format counts them in 16 bits. For more values,
    /// bind arrays and `unnest` them.
    static let countLimit = 65_535
    /// The largest size of one value in bytes: the server holds no field larger than 1 GiB.
    static let valueSizeLimit = (1 << 30) - 1

    private(set) var types: [UInt32] = []
    /// The start of each value in `bytes`.
    private(set) var offsets: [Int] = []
    /// The size of each value in bytes; -1 is null.
    private(set) var lengths: [Int32] = []
    /// Never empty, so that even an empty value has an address: libpq reads a null pointer as null.
    private(set) var bytes: [UInt8] = [0]
    /// Why these values cannot be sent. Nil when they can.
    private var defect: String?

    var count: Int { types.count }

    mutating func append<Value: PostgresEncodable>(_ value: Value) {
        let type = Value.postgresType
        let start = bytes.count
        types.append(type.oid)
        offsets.append(start)
        guard !value.isPostgresNull else { return lengths.append(-1) }
        value.encode(into: &bytes)
        lengths.append(Int32(clamping: bytes.count - start))
        if let found = Self.defect(of: type, in: bytes[start...]) { defect = defect ?? "parameter \(count): \(found)" }
    }

    mutating func append(_ other: Bindings) {
        let shift = bytes.count - 1
        types += other.types
        offsets += other.offsets.map { $0 + shift }
        lengths += other.lengths
        bytes += other.bytes.dropFirst()
        defect = defect ?? other.defect
    }

    /// Throws `.invalidStatement` for values that the server would misread, or would refuse only after they were sent.
    func validate() throws(PostgresError) {
        if let defect { throw PostgresError(.invalidStatement, message: defect) }
        if count > Self.countLimit {
            throw PostgresError(.invalidStatement, message: "\(count) parameters; the limit is \(Self.countLimit)")
        }
    }

    /// The defect of an encoded value, or nil when the value is valid.
    static func defect(of type: PostgresType, in value: ArraySlice<UInt8>) -> String? {
        if type.oid == 0 { return "arrays of arrays cannot be bound" }
        if value.count > valueSizeLimit { return "\(value.count) bytes; the limit is \(valueSizeLimit)" }
        if PostgresType.textual.contains(where: { $0.oid == type.oid }) {
            return value.contains(0) ? "text with a zero byte, which PostgreSQL cannot store" : nil
        }
        if PostgresType.textual.contains(where: { $0.arrayOID == type.oid }) {
            return hasZeroByte(inTextArray: value) ? "text with a zero byte, which PostgreSQL cannot store" : nil
        }
        return nil
    }

    private static func hasZeroByte(inTextArray array: ArraySlice<UInt8>) -> Bool {
        unsafe array.withUnsafeBytes { bytes in
            var offset = 20
            while let length = unsafe bytes.bigEndian(Int32.self, at: offset) {
                offset += 4
                guard length > 0, let start = bytes.baseAddress else { continue }
                if unsafe memchr(start + offset, 0, Int(length)) != nil { return true }
                offset += Int(length)
            }
            return false
        }
    }
}
