/// A value in a header or argument table.
public enum AMQPValue: Sendable, Hashable {
    /// The depth to which nested tables and arrays are converted. Deeper ones become ``tooDeep``. Real headers are nested two or three
    /// levels deep (`x-death`). A hostile header was nested 18,000 levels deep.
    public static let maximumDepth = 16

    case string(String)
    /// Bytes, or a long string that is not UTF-8.
    case bytes([UInt8])
    /// Any integer. An unsigned 64-bit integer above `Int64.max` becomes `Int64.max`.
    case int(Int64)
    case double(Double)
    case bool(Bool)
    /// Seconds since 1970.
    case timestamp(Int64)
    case array([AMQPValue])
    case table([String: AMQPValue])
    case void
    /// The replacement for a table or array below ``maximumDepth``. It is sent as ``void``.
    case tooDeep

    /// The size of the value in bytes on the wire, with its type octet (AMQP 0-9-1 section 4.2.5).
    var encodedSize: Int {
        switch self {
        case .string(let text): 5 + text.utf8.count
        case .bytes(let bytes): 5 + bytes.count
        case .int, .double, .timestamp: 9
        case .bool: 2
        case .array(let values): 5 + values.reduce(0) { $0 + $1.encodedSize }
        case .table(let table): 1 + Self.encodedSize(of: table)
        case .void, .tooDeep: 1
        }
    }

    static func encodedSize(of table: [String: AMQPValue]) -> Int {
        table.reduce(4) { $0 + 1 + $1.key.utf8.count + $1.value.encodedSize }
    }

    /// Whether every key, at every level, fits the 255 bytes of a short string.
    static func hasValidKeys(_ table: [String: AMQPValue]) -> Bool {
        table.allSatisfy { key, value in key.utf8.count <= 255 && value.hasValidKeys }
    }

    private var hasValidKeys: Bool {
        switch self {
        case .table(let table): Self.hasValidKeys(table)
        case .array(let values): values.allSatisfy(\.hasValidKeys)
        default: true
        }
    }
}

extension AMQPValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral {
    public init(stringLiteral value: String) { self = .string(value) }
    public init(integerLiteral value: Int64) { self = .int(value) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}
