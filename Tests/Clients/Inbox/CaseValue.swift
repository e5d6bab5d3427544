import Foundation

/// Any JSON of the table.
enum CaseValue: Hashable, Sendable, Codable {
    case null
    case bool(Bool)
    case number(Double)
    case text(String)
    case array([CaseValue])
    case object([String: CaseValue])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .text(value)
        } else if let value = try? container.decode([CaseValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: CaseValue].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .number(let value):
            if let whole = Int64(exactly: value) { try container.encode(whole) } else { try container.encode(value) }
        case .text(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }

    /// The JSON of any value.
    init(encoding value: some Encodable) throws {
        self = try JSONDecoder().decode(CaseValue.self, from: JSONEncoder().encode(value))
    }

    var data: Data { (try? JSONEncoder().encode(self)) ?? Data() }

    subscript(_ name: String) -> CaseValue? {
        if case .object(let members) = self { members[name] } else { nil }
    }

    var text: String? { if case .text(let value) = self { value } else { nil } }
    var number: Double? { if case .number(let value) = self { value } else { nil } }
    var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    var elements: [CaseValue] { if case .array(let value) = self { value } else { [] } }
    var members: [String: CaseValue] { if case .object(let value) = self { value } else { [:] } }

    /// Replaces `{"$from": name, …}` by a copy of the fixture, and `$n4` in texts by the id of the fixture.
    func expanded(with fixtures: [String: CaseValue]) -> CaseValue {
        switch self {
        case .text(let text): return .text(Self.expanded(text, with: fixtures))
        case .array(let elements): return .array(elements.map { $0.expanded(with: fixtures) })
        case .object(var members):
            if let name = members.removeValue(forKey: "$from")?.text, let fixture = fixtures[name] {
                members = fixture.expanded(with: fixtures).members.merging(members) { $1 }
            }
            let pairs = members.map { (Self.expanded($0, with: fixtures), $1.expanded(with: fixtures)) }
            return .object(Dictionary(pairs) { $1 })
        default: return self
        }
    }

    private static func expanded(_ text: String, with fixtures: [String: CaseValue]) -> String {
        text.replacing(#/\$([nu][0-9]+)/#) { match in
            fixtures[String(match.output.1)]?["id"]?.text ?? String(match.output.0)
        }
    }

    /// Where a value differs from what is expected. Objects are compared by the named members only.
    func differences(from actual: CaseValue?, at path: String = "") -> [String] {
        guard let actual else { return ["\(path) is missing, expected \(self)"] }
        if case .object(let members) = self, case .object(let others) = actual {
            return members.sorted { $0.key < $1.key }.flatMap { name, value in
                value.differences(from: others[name], at: "\(path)/\(name)")
            }
        }
        if case .number(let value) = self, case .number(let other) = actual, abs(value - other) < 0.001 { return [] }
        return self == actual ? [] : ["\(path) is \(actual), expected \(self)"]
    }
}

extension CaseValue: CustomStringConvertible {
    var description: String { String(decoding: data, as: UTF8.self) }
}
