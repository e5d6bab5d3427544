import CRabbitMQ

@testable import TidingsAMQP

/// Header tables alone: the library's decoder, our decoder behind it, and our encoder.
struct TableFuzz: FuzzTarget {
    static let name = "tables"
    let corpus: [[UInt8]]
    private let mutator: ByteMutator

    init() {
        corpus = FrameCorpus.tables
        mutator = ByteMutator(corpus: FrameCorpus.tables, words: FrameCorpus.words)
    }

    func input(_ random: inout FuzzRandom) -> [UInt8] {
        guard random.oneIn(2) else { return mutator.mutated(&random) }
        var encoder = TableEncoder(random: random)
        var bytes = encoder.table()
        if random.oneIn(2) { mutator.change(&bytes, &random) }
        return bytes
    }

    func bytes(of input: [UInt8]) -> [UInt8] { input }

    func feed(_ input: [UInt8]) throws -> FuzzVerdict {
        guard let (table, isCut) = decode(input) else { return .refused }
        try require(table.values.contains(where: AMQPProperties.isCut) == isCut, "cut without a word, or told and not cut")
        // A value that was cut at the deepest level is sent as nothing, so it can always be sent. The repair of a name may have made it
        // longer than the limit. Tidings never sends such a name.
        guard AMQPValue.hasValidKeys(table) else { return .accepted }
        let wire = encode(table)
        try require(wire.count == AMQPValue.encodedSize(of: table), "\(wire.count) bytes, foretold \(AMQPValue.encodedSize(of: table))")
        guard let (again, _) = decode(wire) else { throw BrokenProperty(description: "sent again it is refused") }
        let (left, right) = (AMQPProperties.sent(.table(again)), AMQPProperties.sent(.table(table)))
        try require(left == right, "sent again it is another table")
        return .accepted
    }

    private func decode(_ bytes: [UInt8]) -> (table: [String: AMQPValue], isCut: Bool)? {
        var pool = amqp_pool_t()
        init_amqp_pool(&pool, Self.pageBytes)
        defer { empty_amqp_pool(&pool) }
        return bytes.withUnsafeBytes { buffer in
            var table = amqp_table_t()
            var offset = 0
            let encoded = amqp_bytes_t(len: buffer.count, bytes: UnsafeMutableRawPointer(mutating: buffer.baseAddress))
            guard amqp_decode_table(encoded, &pool, &table, &offset) == AMQP_STATUS_OK.rawValue else { return nil }
            var decoder = FieldDecoder()
            let decoded = decoder.table(table)
            return (decoded, decoder.metTooDeep)
        }
    }

    private func encode(_ table: [String: AMQPValue]) -> [UInt8] {
        let pool = ScratchPool()
        var raw = pool.table(table)
        var bytes = [UInt8](repeating: 0, count: AMQPValue.encodedSize(of: table) + Self.pageBytes)
        let capacity = bytes.count
        let used = bytes.withUnsafeMutableBytes { buffer in
            var offset = 0
            let room = amqp_bytes_t(len: capacity, bytes: buffer.baseAddress)
            return amqp_encode_table(room, &raw, &offset) == AMQP_STATUS_OK.rawValue ? offset : 0
        }
        return Array(bytes.prefix(used))
    }

    private static let pageBytes = 4_096
}
