@testable import TidingsAMQP

/// The promises about headers, for every sender.
enum AMQPProperties {
    static func requireBounded(_ properties: MessageProperties) throws {
        let depth = AMQPProperties.depth(of: .table(properties.headers))
        try require(depth <= AMQPValue.maximumDepth, "headers nested \(depth) levels deep")
        let isCut = properties.headers.values.contains(where: isCut)
        try require(isCut == properties.headersTooDeep, "headers were cut: \(isCut), told: \(properties.headersTooDeep)")
    }

    static func isCut(_ value: AMQPValue) -> Bool {
        switch value {
        case .tooDeep: true
        case .array(let values): values.contains(where: isCut)
        case .table(let table): table.values.contains(where: isCut)
        default: false
        }
    }

    private static func depth(of value: AMQPValue) -> Int {
        switch value {
        case .array(let values): 1 + (values.map(depth(of:)).max() ?? 0)
        case .table(let table): 1 + (table.values.map(depth(of:)).max() ?? 0)
        default: 0
        }
    }

    /// The value as it arrives after sending. Values that the wire cannot express have a replacement, and not-a-number becomes a value that
    /// equals itself.
    static func sent(_ value: AMQPValue) -> AMQPValue {
        switch value {
        case .double(let number) where number.isNaN: .string("nan")
        case .timestamp(let seconds): .timestamp(max(0, seconds))
        case .tooDeep: .void
        case .array(let values): .array(values.map(sent))
        case .table(let table): .table(table.mapValues(sent))
        default: value
        }
    }
}
