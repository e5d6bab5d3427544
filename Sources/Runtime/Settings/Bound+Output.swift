import TidingsAMQP
import TidingsCatalogue
package import TidingsCore
package import TidingsJSON

extension Bound {
    /// The three limits of a batch.
    static func batch(_ name: String, _ policy: BatchPolicy, _ why: String) -> [Bound] {
        [
            Bound("\(name).maximumMessages", policy.maximumMessages, "messages", why),
            Bound("\(name).maximumBytes", policy.maximumBytes, "bytes", why),
            Bound("\(name).maximumDelay", policy.maximumDelay, why),
        ]
    }

    package var json: JSON {
        ["name": .string(name), "value": .number(JSONNumber(Int64(value))), "unit": .string(unit), "why": .string(why)]
    }

    /// The value for people: a time in its best unit, a round number of bytes in KiB or MiB.
    package var shown: String {
        switch unit {
        case Self.milliseconds: DurationText.print(.milliseconds(value))
        case "bytes" where value >= 1 << 20 && value % (1 << 20) == 0: "\(value >> 20) MiB"
        case "bytes" where value >= 1 << 10 && value % (1 << 10) == 0: "\(value >> 10) KiB"
        default: "\(value) \(unit)"
        }
    }
}
