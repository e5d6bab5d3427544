import Synchronization

/// The prepared statements of a session. The server parses and analyses each text once and keeps its plan.
///
/// A text gets a name at its second use. The name is a hash of the text. If a pooler lends one server session to several clients, the same
/// name therefore always means the same text.
package struct PreparedStatements {
    /// The largest number of texts remembered for each session. The server keeps 20 to 100 kB for each. A process has fewer texts than
    /// this, unless it generates them, and generated texts are not worth a name.
    package static let limit = 100

    /// The way to send a statement.
    enum Form: Equatable {
        /// Parsed, planned and forgotten.
        case unnamed
        /// Not parsed yet: the server must first parse it under this name.
        case new(String)
        case known(String)

        /// The name for the execution, or nil without a name.
        var name: String? {
            switch self {
            case .unnamed: nil
            case .new(let name), .known(let name): name
            }
        }
    }

    /// The key of a statement. The same text with other types is another statement.
    private struct Key: Hashable {
        let text: String
        let types: [UInt32]

        init(_ sql: SQL) {
            text = sql.text
            types = sql.bindings.types
        }
    }

    private enum State {
        case seen
        case prepared(String)
    }

    private var states: [Key: State] = [:]

    func form(of sql: SQL) -> Form {
        let key = Key(sql)
        return switch states[key] {
        case .prepared(let name): .known(name)
        case .seen: .new(Self.name(of: key))
        case nil: .unnamed
        }
    }

    /// Records that a statement was sent without a name.
    mutating func note(_ sql: SQL) {
        guard states.count < Self.limit, Self.isPlanned(sql.text) else { return }
        let key = Key(sql)
        if states[key] == nil { states[key] = .seen }
    }

    /// Records that the server has parsed a statement under its name.
    mutating func confirm(_ sql: SQL, as name: String) { states[Key(sql)] = .prepared(name) }

    /// Whether the server plans a statement. Only a planned statement gets a name, and COMMIT must never depend on a name.
    static func isPlanned(_ text: String) -> Bool {
        let word = text.drop(while: \.isWhitespace).prefix(while: \.isLetter).lowercased()
        return ["select", "with", "insert", "update", "delete"].contains(word)
    }

    /// FNV-1a, 64 bits, of the text and the types.
    private static func name(of key: Key) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        func add(_ value: UInt64) { hash = (hash ^ value) &* 0x100_0000_01b3 }
        for byte in key.text.utf8 { add(UInt64(byte)) }
        for type in key.types { add(UInt64(type)) }
        return "tidings_" + String(hash, radix: 16)
    }
}

/// Whether the sessions of a configuration name their statements. Names stop for good when a session meets a pooler. A pooler may give each
/// transaction another server session, in which a name is missing or has another meaning.
final class StatementNaming: Sendable {
    private let allowed = Atomic(true)

    var isAllowed: Bool { allowed.load(ordering: .relaxed) }
    func forbid() { allowed.store(false, ordering: .relaxed) }
}

extension PostgresError {
    /// Whether the server does not know the name, or uses it already. Both mean that a pooler is in between.
    var isAboutNames: Bool { sqlState == "26000" || sqlState == "42P05" }

    /// Whether a kept plan no longer fits, because the tables changed. A new session makes a new plan. PostgreSQL has no error code of its
    /// own for this case.
    var isAboutStalePlan: Bool { sqlState == "0A000" && message.hasPrefix("cached plan") }
}
