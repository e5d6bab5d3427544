import Synchronization

/// The statements that a session has had parsed under a name, so that the server parses and analyses each text once, and keeps its plan.
///
/// A text that comes for the second time gets a name made of the text itself. Where a pooler lends one server session to several clients, the
/// same name can so only ever mean the same text.
package struct PreparedStatements {
    /// Texts remembered for each session. The server keeps some 20 to 100 kB for each; a process has fewer than this, unless it builds texts as
    /// it goes, and those are not worth a name.
    package static let limit = 100

    /// How a statement is sent.
    enum Form: Equatable {
        /// Parsed, planned and forgotten.
        case unnamed
        /// To be parsed under this name first.
        case new(String)
        case known(String)

        /// What it is executed as; nil without a name.
        var name: String? {
            switch self {
            case .unnamed: nil
            case .new(let name), .known(let name): name
            }
        }
    }

    /// A text with other types is another statement.
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

    /// Notes that a statement was sent without a name.
    mutating func note(_ sql: SQL) {
        guard states.count < Self.limit, Self.isPlanned(sql.text) else { return }
        let key = Key(sql)
        if states[key] == nil { states[key] = .seen }
    }

    /// Notes that the server has parsed a statement under its name.
    mutating func confirm(_ sql: SQL, as name: String) { states[Key(sql)] = .prepared(name) }

    /// Only these have a plan to keep; and COMMIT must never depend on a name.
    private static func isPlanned(_ text: String) -> Bool {
        let word = text.drop(while: \.isWhitespace).prefix(while: \.isLetter).lowercased()
        return ["select", "with", "insert", "update", "delete"].contains(word)
    }

    /// FNV-1a, 64 bits, of text and types.
    private static func name(of key: Key) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        func add(_ value: UInt64) { hash = (hash ^ value) &* 0x100_0000_01b3 }
        for byte in key.text.utf8 { add(UInt64(byte)) }
        for type in key.types { add(UInt64(type)) }
        return "tidings_" + String(hash, radix: 16)
    }
}

/// Whether sessions of a configuration name their statements: yes, until one of them meets a pooler that gives each transaction another server
/// session, where a name is not what it was. From then on, for good, none does.
final class StatementNaming: Sendable {
    private let allowed = Atomic(true)

    var isAllowed: Bool { allowed.load(ordering: .relaxed) }
    func forbid() { allowed.store(false, ordering: .relaxed) }
}

extension PostgresError {
    /// The name means nothing here, or something else already: a pooler is between.
    var isAboutNames: Bool { sqlState == "26000" || sqlState == "42P05" }

    /// The tables changed under a plan that was kept; a new session makes a new one. PostgreSQL has no code of its own for it.
    var isAboutStalePlan: Bool { sqlState == "0A000" && message.hasPrefix("cached plan") }
}
