internal import CRabbitMQ

/// Memory for outgoing text and tables, in the library's format. All memory from the pool is valid until ``recycle()``.
@safe final class ScratchPool {
    /// The size of a page in bytes, enough for the names and headers of an ordinary message. Larger pieces get their own allocation.
    private static let pageSize = 4096

    private let pool: UnsafeMutablePointer<amqp_pool_t>

    init() {
        unsafe pool = .allocate(capacity: 1)
        unsafe init_amqp_pool(pool, Self.pageSize)
    }

    deinit {
        unsafe empty_amqp_pool(pool)
        unsafe pool.deallocate()
    }

    func recycle() { unsafe recycle_amqp_pool(pool) }

    func bytes(_ text: String) -> amqp_bytes_t {
        var text = text
        return text.withUTF8 { unsafe copy(UnsafeRawBufferPointer($0)) }
    }

    func bytes(_ bytes: [UInt8]) -> amqp_bytes_t {
        unsafe bytes.withUnsafeBytes { unsafe copy($0) }
    }

    func table(_ table: [String: AMQPValue], depth: Int = 1) -> amqp_table_t {
        let entries = unsafe allocate(table.count, of: amqp_table_entry_t.self)
        for (index, (key, value)) in table.enumerated() {
            let field = unsafe field(value, depth: depth)
            unsafe (entries + index).initialize(to: amqp_table_entry_t(key: bytes(key), value: field))
        }
        return unsafe amqp_table_t(num_entries: Int32(table.count), entries: entries)
    }

    private func array(_ values: [AMQPValue], depth: Int) -> amqp_array_t {
        let entries = unsafe allocate(values.count, of: amqp_field_value_t.self)
        for (index, value) in values.enumerated() {
            unsafe (entries + index).initialize(to: field(value, depth: depth))
        }
        return unsafe amqp_array_t(num_entries: Int32(values.count), entries: entries)
    }

    private func field(_ value: AMQPValue, depth: Int) -> amqp_field_value_t {
        var field = unsafe amqp_field_value_t()
        let isTooDeep = depth >= AMQPValue.maximumDepth
        switch value {
        case .string(let text): unsafe set(&field, AMQP_FIELD_KIND_UTF8) { unsafe $0.bytes = unsafe bytes(text) }
        case .bytes(let raw): unsafe set(&field, AMQP_FIELD_KIND_BYTES) { unsafe $0.bytes = unsafe bytes(raw) }
        case .int(let number): unsafe set(&field, AMQP_FIELD_KIND_I64) { unsafe $0.i64 = number }
        case .double(let number): unsafe set(&field, AMQP_FIELD_KIND_F64) { unsafe $0.f64 = number }
        case .bool(let flag): unsafe set(&field, AMQP_FIELD_KIND_BOOLEAN) { unsafe $0.boolean = flag ? 1 : 0 }
        case .timestamp(let seconds): unsafe set(&field, AMQP_FIELD_KIND_TIMESTAMP) { unsafe $0.u64 = UInt64(max(0, seconds)) }
        case .array(let values) where !isTooDeep:
            unsafe set(&field, AMQP_FIELD_KIND_ARRAY) { unsafe $0.array = unsafe array(values, depth: depth + 1) }
        case .table(let values) where !isTooDeep:
            unsafe set(&field, AMQP_FIELD_KIND_TABLE) { unsafe $0.table = unsafe table(values, depth: depth + 1) }
        case .array, .table, .void, .tooDeep: unsafe field.kind = UInt8(AMQP_FIELD_KIND_VOID.rawValue)
        }
        return unsafe field
    }

    private func set(
        _ field: inout amqp_field_value_t, _ kind: amqp_field_value_kind_t,
        _ assign: (inout amqp_field_value_t.__Unnamed_union_value) -> Void
    ) {
        unsafe field.kind = UInt8(kind.rawValue)
        unsafe assign(&field.value)
    }

    private func allocate<Value>(_ count: Int, of: Value.Type) -> UnsafeMutablePointer<Value> {
        let memory = unsafe amqp_pool_alloc(pool, max(1, count) * MemoryLayout<Value>.stride)
        guard let memory = unsafe memory else { preconditionFailure("out of memory") }
        return unsafe memory.bindMemory(to: Value.self, capacity: max(1, count))
    }

    private func copy(_ source: UnsafeRawBufferPointer) -> amqp_bytes_t {
        guard unsafe !source.isEmpty else { return unsafe amqp_bytes_t(len: 0, bytes: nil) }
        let memory = unsafe allocate(source.count, of: UInt8.self)
        unsafe UnsafeMutableRawBufferPointer(start: memory, count: source.count).copyMemory(from: source)
        return unsafe amqp_bytes_t(len: source.count, bytes: memory)
    }
}
