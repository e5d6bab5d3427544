internal import CRabbitMQ

/// Copies decoded header tables into Swift values, down to ``AMQPValue/maximumDepth``, and at most ``AMQPMessage/maximumHeaderValues`` values
/// with ``AMQPMessage/maximumHeaderBytes`` bytes of names and texts. Nothing beyond these limits is copied, not even for a moment.
struct FieldDecoder {
    private(set) var metTooDeep = false
    /// A header, or a part of one, was left out.
    private(set) var metLimit = false
    /// A header of ``neededNames`` was left out.
    private(set) var leftOutNeeded = false
    private var values = 0
    private var bytes = 0
    private var foreignNames = 0

    /// Names outside ASCII that one message's headers may have; further ones are left out. A dictionary compares such names by what they
    /// are equivalent to, and takes a minute for the thousands of a kind that fit a frame.
    static let mostForeignNames = 64

    /// Beginnings of names that are kept before all others, in lower case: the broker's own headers, the attributes of CloudEvents' AMQP
    /// binding, and W3C trace context.
    static let neededNames = ["x-", "cloudevents", "traceparent"]

    /// The memory that the copied values take, estimated.
    var weight: Int { values * AMQPMessage.bytesPerHeaderValue + bytes }

    /// The headers of a message, or another table as a whole. Values come first by rank and then in their order: needed ones, other single
    /// values, then tables and arrays, of which the last may be kept in part.
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
                // A single value counts before a table of the same name.
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
        // The bit makes letters small, and leaves the hyphen as it is.
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

    /// Nil when there is no room for it.
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

    /// `value` divided by ten to the power of `decimals`.
    private static func decimal(_ decimal: amqp_decimal_t) -> AMQPValue {
        var number = Double(decimal.value)
        for _ in 0..<decimal.decimals { number /= 10 }
        return .double(number)
    }
}

extension String {
    /// Copies; bytes that are not UTF-8 are repaired.
    init(_ bytes: amqp_bytes_t) {
        self = unsafe String(decoding: UnsafeRawBufferPointer(start: bytes.bytes, count: bytes.len), as: UTF8.self)
    }
}

extension [UInt8] {
    init(_ bytes: amqp_bytes_t) {
        self = unsafe Array(UnsafeRawBufferPointer(start: bytes.bytes, count: bytes.len))
    }
}
