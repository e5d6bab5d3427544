import TidingsCatalogue
import TidingsCore
import TidingsPostgres

@testable import TidingsStore

/// A value that a made-up row has in a column.
enum MadeUpValue: Sendable {
    case null
    case text(String)
    case number(Int)
    case texts([String])
    case bytes([UInt8])
    /// The value that the type of the column has in every other column.
    case standard
    /// A value for the first row of a call that has the column, and another one for each later row. It ends loops, and tells two statements
    /// of one call apart.
    indirect case first(MadeUpValue, then: MadeUpValue)

    /// Nil if the column is of another type. A name may be that of a text in one statement, and of an id in another one.
    func encoded(as type: PostgresType) -> (any PostgresEncodable)? {
        switch self {
        case .text(let text):
            if Self.textual.contains(type.oid) { return text }
        case .number(let number):
            switch type.oid {
            case PostgresType.int2.oid: return Int16(clamping: number)
            case PostgresType.int4.oid: return Int32(clamping: number)
            case PostgresType.int8.oid: return Int64(number)
            default: return nil
            }
        case .texts(let texts):
            if type.oid == PostgresType.text.arrayOID { return texts }
        case .bytes(let bytes):
            if type.oid == PostgresType.bytea.oid { return bytes }
        case .null, .standard, .first: break
        }
        return nil
    }

    private static let textual: Set<UInt32> = [PostgresType.text.oid, PostgresType.varchar.oid, PostgresType.name.oid]
}

extension MadeUpValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    init(stringLiteral text: String) { self = .text(text) }

    init(integerLiteral number: Int) { self = .number(number) }
}

extension MadeUpValue {
    /// The values of columns in every call that has no other one. Words of closed lists are known words. Ids and numbers are those of
    /// ``Samples``, so that an answer is about the arguments of the call.
    static let usual: [String: MadeUpValue] = words.merging(numbers.merging(documents) { one, _ in one }) { one, _ in one }

    private static let words: [String: MadeUpValue] = [
        "tenant": .text(Samples.person.tenant), "recipient_id": .text(Samples.person.id), "id": .text(Samples.person.id),
        "named_tenant": .text(Samples.person.tenant), "provider": .text(Samples.provider), "endpoint": .text(Samples.device),
        "device_id": .text(Samples.device), "type": .text(Samples.type), "caller": .text(Samples.caller), "key": .text(Samples.requestKey),
        "reference": .text(Samples.reference), "market": "default", "channel": "push", "channels": "push", "lane": "bulk",
        "pack_lane": "bulk", "kind": "held", "category": "transactional", "state": "failed", "reason": "outcomeUnknown",
        "ends_as": "cancelled", "end_reason": "cancelledByProducer", "moved_because": "breakerOpen", "permission": "authorized",
        "scope": "channel", "outcome": "delivered", "action": "apply", "why_not": "closed", "platform": "ios", "environment": "production",
        "time_zone": "UTC", "zone": "UTC", "step": "transactions", "phase": "waiting",
    ]

    private static let numbers: [String: MadeUpValue] = [
        "ordinal": 0, "planned": 1, "place": 1, "attempt": 1, "attempts": 1, "quiet_end": 60, "lowest": .first(.standard, then: .null),
    ]

    private static let documents: [String: MadeUpValue] = [
        "row_to_json": "{}", "counts": "{}", "data": "{}", "content": "{}", "content_fields": "{}", "headers": "{}", "replay_headers": "{}",
        "decision": #"{"deliveries":[{"channel":"push","provider":"phone","verdict":"send"}]}"#,
        "listed": .texts([Samples.person.id]), "yaml": .text(CatalogueFile.print(CatalogueFile.sealed(.builtIn))),
    ]
}
