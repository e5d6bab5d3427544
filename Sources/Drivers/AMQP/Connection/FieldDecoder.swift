internal import CRabbitMQ

/// Copies decoded header tables into Swift values, down to ``AMQPValue/maximumDepth``. Copies at most ``AMQPMessage/maximumHeaderValues``
/// values, with ``AMQPMessage/maximumHeaderBytes`` bytes of names and texts. Data beyond these limits is never copied, not even
/// temporarily.
struct FieldDecoder {
    private(set) var metTooDeep = false
    /// Whether a header, or a part of one, was left out.
    private(set) var metLimit = false
    /// Whether a header of ``neededNames`` was left out.
    private(set) var leftOutNeeded = false
    private var values = 0
    private var bytes = 0
    private var foreignNames = 0

    /// The largest number of names outside ASCII in one message's headers; further ones are left out. A dictionary compares such names by
    /// Unicode equivalence. For the thousands of such names that fit a frame, this takes a minute.
    static let mostForeignNames = 64

    /// Prefixes of names that are kept first, in lower case: the broker's own headers, the attributes of CloudEvents' AMQP binding, and W3C
    /// trace context.
    static let neededNames = ["x-", "cloudevents", "traceparent"]

    /// The estimated memory of the copied values in bytes.
    var weight: Int { values * AMQPMessage.bytesPerHeaderValue + bytes }

    /// Copies the headers of a message, or another whole table. Needed values come first, then other single values, then tables and arrays.
    /// Within a rank, the order stays. The last table or array may be kept in part.
    mutating func table(_ table: amqp_table_t) -> [String: AMQPValue] {
        let entries = unsafe UnsafeBufferPointer(start: table.entries, count: Int(table.num_entries))
        var ranked: [Rank: [Int]] = [:]
        for index in entries.indices {
            let rank = unsafe Rank(entries[index])
            if ranked[rank, default: []].count < AMQPMessage.maximumHeaderValues {
                ranked[rank, default: []].append(index)
            } else {
                leaveOut(rank)
            }
        }
        var result: [String: AMQPValue] = [:]
        for rank in Rank.allCases {
            for index in ranked[rank] ?? [] {
                let entry = unsafe entries[index]
                let name = unsafe String(entry.key)
                // A single value has priority over a table of the same name.
                if rank == .nested, result[name] != nil { continue }
                if mayKeep(name), let value = unsafe value(entry.value, nameBytes: name.utf8.count, depth: 1) {
                    result[name] = value
                } else {
                    leaveOut(rank)
                }
            }
        }
        return result
    }

    private enum Rank: CaseIterable {
        case needed, single, nested

        init(_ entry: amqp_table_entry_t) {
            switch unsafe UInt32(entry.value.kind) {
            case AMQP_FIELD_KIND_TABLE.rawValue, AMQP_FIELD_KIND_ARRAY.rawValue: self = .nested
            default: self = unsafe FieldDecoder.isNeeded(entry.key) ? .needed : .single
            }
        }
    }

    private static func isNeeded(_ name: amqp_bytes_t) -> Bool {
        let bytes = unsafe UnsafeRawBufferPointer(start: name.bytes, count: name.len)
        // The bit changes letters to lower case and leaves the hyphen unchanged.
        return neededNames.contains { beginning in unsafe bytes.lazy.map { $0 | 0x20 }.starts(with: beginning.utf8) }
    }

    private mutating func leaveOut(_ rank: Rank) {
        metLimit = true
        if rank == .needed { leftOutNeeded = true }
    }

    private mutating func mayKeep(_ name: String) -> Bool {
        if name.utf8.allSatisfy({ $0 < 0x80 }) { return true }
        foreignNames += 1
        return foreignNames <= Self.mostForeignNames
    }

    private mutating func hasRoom(for size: Int) -> Bool {
        guard values < AMQPMessage.maximumHeaderValues, bytes + size <= AMQPMessage.maximumHeaderBytes else {
            metLimit = true
            return false
        }
        values += 1
        bytes += size
        return true
    }

    /// Copies a value. Returns nil when a limit is reached.
    private mutating func value(_ field: amqp_field_value_t, nameBytes: Int = 0, depth: Int) -> AMQPValue? {
        let isText = unsafe [AMQP_FIELD_KIND_UTF8.rawValue, AMQP_FIELD_KIND_BYTES.rawValue].contains(UInt32(field.kind))
        guard hasRoom(for: unsafe isText ? nameBytes + field.value.bytes.len : nameBytes) else { return nil }
        return unsafe copy(field, depth: depth)
    }

    private mutating func copy(_ field: amqp_field_value_t, depth: Int) -> AMQPValue {
        switch unsafe UInt32(field.kind) {
        case AMQP_FIELD_KIND_UTF8.rawValue: unsafe Self.text(field.value.bytes)
        case AMQP_FIELD_KIND_BYTES.rawValue: unsafe .bytes([UInt8](field.value.bytes))
        case AMQP_FIELD_KIND_BOOLEAN.rawValue: unsafe .bool(field.value.boolean != 0)
        case AMQP_FIELD_KIND_I8.rawValue: unsafe .int(Int64(field.value.i8))
        case AMQP_FIELD_KIND_U8.rawValue: unsafe .int(Int64(field.value.u8))
        case AMQP_FIELD_KIND_I16.rawValue: unsafe .int(Int64(field.value.i16))
        case AMQP_FIELD_KIND_U16.rawValue: unsafe .int(Int64(field.value.u16))
        case AMQP_FIELD_KIND_I32.rawValue: unsafe .int(Int64(field.value.i32))
        case AMQP_FIELD_KIND_U32.rawValue: unsafe .int(Int64(field.value.u32))
        case AMQP_FIELD_KIND_I64.rawValue: unsafe .int(field.value.i64)
        case AMQP_FIELD_KIND_U64.rawValue: unsafe .int(Int64(clamping: field.value.u64))
        case AMQP_FIELD_KIND_TIMESTAMP.rawValue: unsafe .timestamp(Int64(clamping: field.value.u64))
        case AMQP_FIELD_KIND_F32.rawValue: unsafe .double(Double(field.value.f32))
        case AMQP_FIELD_KIND_F64.rawValue: unsafe .double(field.value.f64)
        case AMQP_FIELD_KIND_DECIMAL.rawValue: unsafe Self.decimal(field.value.decimal)
        case AMQP_FIELD_KIND_TABLE.rawValue: nested(depth) { unsafe .table($0.nestedTable(field.value.table, depth: depth + 1)) }
        case AMQP_FIELD_KIND_ARRAY.rawValue: nested(depth) { unsafe .array($0.array(field.value.array, depth: depth + 1)) }
        default: .void
        }
    }

    private mutating func nested(_ depth: Int, _ convert: (inout FieldDecoder) -> AMQPValue) -> AMQPValue {
        guard depth < AMQPValue.maximumDepth else {
            metTooDeep = true
            return .tooDeep
        }
        return convert(&self)
    }

    private mutating func nestedTable(_ table: amqp_table_t, depth: Int) -> [String: AMQPValue] {
        var result: [String: AMQPValue] = [:]
        let entries = unsafe UnsafeBufferPointer(start: table.entries, count: Int(table.num_entries))
        for index in entries.indices where values < AMQPMessage.maximumHeaderValues {
            let entry = unsafe entries[index]
            let name = unsafe String(entry.key)
            if mayKeep(name), let value = unsafe value(entry.value, nameBytes: name.utf8.count, depth: depth) { result[name] = value }
        }
        if result.count < entries.count { metLimit = true }
        return result
    }

    private mutating func array(_ array: amqp_array_t, depth: Int) -> [AMQPValue] {
        var result: [AMQPValue] = []
        let fields = unsafe UnsafeBufferPointer(start: array.entries, count: Int(array.num_entries))
        for index in fields.indices {
            guard let value = unsafe value(fields[index], depth: depth) else { break }
            result.append(value)
        }
        return result
    }

    private static func text(_ bytes: amqp_bytes_t) -> AMQPValue {
        let copy = unsafe [UInt8](bytes)
        return String(validating: copy, as: UTF8.self).map(AMQPValue.string) ?? .bytes(copy)
    }

    /// `value` divided by 10 to the power of `decimals`.
    private static func decimal(_ decimal: amqp_decimal_t) -> AMQPValue {
        var number = Double(decimal.value)
        for _ in 0..<decimal.decimals { number /= 10 }
        return .double(number)
    }
}

extension String {
    /// Copies the text. Bytes that are not UTF-8 are replaced.
    init(_ bytes: amqp_bytes_t) {
        self = unsafe String(decoding: UnsafeRawBufferPointer(start: bytes.bytes, count: bytes.len), as: UTF8.self)
    }
}

extension [UInt8] {
    init(_ bytes: amqp_bytes_t) {
        self = unsafe Array(UnsafeRawBufferPointer(start: bytes.bytes, count: bytes.len))
    }
}
