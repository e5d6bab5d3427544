// Text, numbers, truth values and bytes. The formats are in PostgreSQL's source, in the send and receive functions of each type.

/// `text`. Decoding also accepts `varchar`, `char(n)`, `name` and untyped literals. A zero byte is refused before anything is sent.
extension String: PostgresEncodable, PostgresDecodable {
    public static var postgresType: PostgresType { .text }

    public func encode(into bytes: inout [UInt8]) { bytes.append(contentsOf: utf8) }

    public init(postgres cell: PostgresCell) throws(PostgresError) {
        guard cell.hasTextType else { throw .decoding("the column has type \(cell.type), expected text") }
        self = try unsafe cell.readAnyType { bytes throws(PostgresError) in
            guard let text = unsafe String(validating: bytes, as: UTF8.self) else { throw .decoding("the text is not valid UTF-8") }
            return text
        }
    }
}

extension PostgresCell {
    fileprivate var hasTextType: Bool {
        switch type {
        case PostgresType.text.oid, PostgresType.varchar.oid, PostgresType.bpchar.oid, PostgresType.name.oid, PostgresType.unknown.oid: true
        default: false
        }
    }
}

/// `int2`.
extension Int16: PostgresEncodable, PostgresDecodable {
    public static var postgresType: PostgresType { .int2 }

    public func encode(into bytes: inout [UInt8]) { bytes.appendBigEndian(self) }

    public init(postgres cell: PostgresCell) throws(PostgresError) {
        self = try unsafe cell.read(.int2) { bytes throws(PostgresError) in try unsafe bytes.whole(Int16.self) }
    }
}

/// `int4`. Decoding also accepts `int2`.
extension Int32: PostgresEncodable, PostgresDecodable {
    public static var postgresType: PostgresType { .int4 }

    public func encode(into bytes: inout [UInt8]) { bytes.appendBigEndian(self) }

    public init(postgres cell: PostgresCell) throws(PostgresError) {
        if cell.type == PostgresType.int2.oid {
            self = Int32(try Int16(postgres: cell))
        } else {
            self = try unsafe cell.read(.int4) { bytes throws(PostgresError) in try unsafe bytes.whole(Int32.self) }
        }
    }
}

/// `int8`. Decoding also accepts `int4` and `int2`.
extension Int64: PostgresEncodable, PostgresDecodable {
    public static var postgresType: PostgresType { .int8 }

    public func encode(into bytes: inout [UInt8]) { bytes.appendBigEndian(self) }

    public init(postgres cell: PostgresCell) throws(PostgresError) {
        if cell.type == PostgresType.int4.oid || cell.type == PostgresType.int2.oid {
            self = Int64(try Int32(postgres: cell))
        } else {
            self = try unsafe cell.read(.int8) { bytes throws(PostgresError) in try unsafe bytes.whole(Int64.self) }
        }
    }
}

/// `int8`. Decoding also accepts `int4` and `int2`.
extension Int: PostgresEncodable, PostgresDecodable {
    public static var postgresType: PostgresType { .int8 }

    public func encode(into bytes: inout [UInt8]) { Int64(self).encode(into: &bytes) }

    public init(postgres cell: PostgresCell) throws(PostgresError) { self = Int(try Int64(postgres: cell)) }
}

/// `bool`.
extension Bool: PostgresEncodable, PostgresDecodable {
    public static var postgresType: PostgresType { .bool }

    public func encode(into bytes: inout [UInt8]) { bytes.append(self ? 1 : 0) }

    public init(postgres cell: PostgresCell) throws(PostgresError) {
        self = try unsafe cell.read(.bool) { bytes throws(PostgresError) in try unsafe bytes.whole(UInt8.self) != 0 }
    }
}

/// `float8`. Decoding also accepts `float4`.
extension Double: PostgresEncodable, PostgresDecodable {
    public static var postgresType: PostgresType { .float8 }

    public func encode(into bytes: inout [UInt8]) { bytes.appendBigEndian(bitPattern) }

    public init(postgres cell: PostgresCell) throws(PostgresError) {
        if cell.type == PostgresType.float4.oid {
            let bits = try unsafe cell.read(.float4) { bytes throws(PostgresError) in try unsafe bytes.whole(UInt32.self) }
            self = Double(Float(bitPattern: bits))
        } else {
            let bits = try unsafe cell.read(.float8) { bytes throws(PostgresError) in try unsafe bytes.whole(UInt64.self) }
            self = Double(bitPattern: bits)
        }
    }
}

/// `"char"`. `[UInt8]` is `bytea`, not an array of `"char"`.
extension UInt8: PostgresEncodable, PostgresDecodable {
    public static var postgresType: PostgresType { .char }
    public static var postgresArrayType: PostgresType { .bytea }

    public func encode(into bytes: inout [UInt8]) { bytes.append(self) }

    public static func encodeArray(_ elements: [UInt8], into bytes: inout [UInt8]) { bytes.append(contentsOf: elements) }

    public init(postgres cell: PostgresCell) throws(PostgresError) {
        self = try unsafe cell.read(.char) { bytes throws(PostgresError) in try unsafe bytes.whole(UInt8.self) }
    }

    public static func decodeArray(postgres cell: PostgresCell) throws(PostgresError) -> [UInt8] {
        try unsafe cell.read(.bytea) { bytes throws(PostgresError) in unsafe [UInt8](bytes) }
    }
}
