/// `uuid`: 128 bits in two halves, the most significant half first (RFC 9562).
public struct PostgresUUID: PostgresEncodable, PostgresDecodable, Hashable {
    public var high: UInt64
    public var low: UInt64

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    public static var postgresType: PostgresType { .uuid }

    public func encode(into bytes: inout [UInt8]) {
        bytes.appendBigEndian(high)
        bytes.appendBigEndian(low)
    }

    public init(postgres cell: PostgresCell) throws(PostgresError) {
        self = try unsafe cell.read(.uuid) { bytes throws(PostgresError) in
            guard bytes.count == 16, let high = unsafe bytes.bigEndian(UInt64.self), let low = unsafe bytes.bigEndian(UInt64.self, at: 8)
            else { throw .decoding("\(bytes.count) bytes where a uuid has 16") }
            return PostgresUUID(high: high, low: low)
        }
    }
}
