internal import CRabbitMQ

/// Copies decoded header tables into Swift values, down to ``AMQPValue/maximumDepth``.
struct FieldDecoder {
    private(set) var metTooDeep = false
    private var foreignNames = 0

    /// Names outside ASCII that one message's headers may have; further ones are left out. A dictionary compares such names by what they
    /// are equivalent to, and takes a minute for the thousands of a kind that fit a frame.
    static let mostForeignNames = 64

    mutating func table(_ table: amqp_table_t, depth: Int = 1) -> [String: AMQPValue] {
        var result: [String: AMQPValue] = [:]
        let entries = unsafe UnsafeBufferPointer(start: table.entries, count: Int(table.num_entries))
        for index in entries.indices {
            let entry = unsafe entries[index]
            let name = unsafe String(entry.key)
            guard mayKeep(name) else { continue }
            result[name] = unsafe value(entry.value, depth: depth)
        }
        return result
    }

    private mutating func mayKeep(_ name: String) -> Bool {
        if name.utf8.allSatisfy({ $0 < 0x80 }) { return true }
        foreignNames += 1
        return foreignNames <= Self.mostForeignNames
    }

    private mutating func value(_ field: amqp_field_value_t, depth: Int) -> AMQPValue {
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
        case AMQP_FIELD_KIND_TABLE.rawValue: nested(depth) { unsafe .table($0.table(field.value.table, depth: depth + 1)) }
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

    private mutating func array(_ array: amqp_array_t, depth: Int) -> [AMQPValue] {
        var result: [AMQPValue] = []
        let fields = unsafe UnsafeBufferPointer(start: array.entries, count: Int(array.num_entries))
        for index in fields.indices {
            result.append(unsafe value(fields[index], depth: depth))
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
