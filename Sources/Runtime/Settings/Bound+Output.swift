import TidingsAMQP
import TidingsCatalogue
package import TidingsJSON

/// A limit, a batch size or a time of the binary, with its reason in one sentence. The value is read from the constant itself.
package struct Bound: Sendable {
    /// The constant's own name, as the source has it.
    package let name: String
    let value: Int
    /// The unit of the value: `bytes`, `packs`, … Times are in milliseconds.
    let unit: String
    package let why: String

    package init(_ name: String, _ value: Int, _ unit: String, _ why: String) {
        self.name = name
        self.value = value
        self.unit = unit
        self.why = why
    }

    package init(_ name: String, _ value: Duration, _ why: String) {
        self.init(name, Int(value / .milliseconds(1)), Self.time, why)
    }

    /// The three limits of a batch.
    static func batch(_ name: String, _ policy: BatchPolicy, _ why: String) -> [Bound] {
        [
            Bound("\(name).maximumMessages", policy.maximumMessages, "messages", why),
            Bound("\(name).maximumBytes", policy.maximumBytes, "bytes", why),
            Bound("\(name).maximumDelay", policy.maximumDelay, why),
        ]
    }

    private static let time = "milliseconds"

    package var json: JSON {
        ["name": .string(name), "value": .number(JSONNumber(Int64(value))), "unit": .string(unit), "why": .string(why)]
    }

    /// The value for people: a time in its best unit, a round number of bytes in KiB or MiB.
    package var shown: String {
        switch unit {
        case Self.time: DurationText.print(.milliseconds(value))
        case "bytes" where value >= 1 << 20 && value % (1 << 20) == 0: "\(value >> 20) MiB"
        case "bytes" where value >= 1 << 10 && value % (1 << 10) == 0: "\(value >> 10) KiB"
        default: "\(value) \(unit)"
        }
    }
}
