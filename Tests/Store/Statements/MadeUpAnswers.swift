import Synchronization
import TidingsCore
import TidingsPostgres
import TidingsStore

/// The rows that a probe makes up for the statements of one call after another.
final class MadeUpAnswers: Sendable {
    enum Mode: String, Sendable, CaseIterable {
        /// Each search finds nothing.
        case noRow
        /// Each answer has one row: false, 0 and the present time.
        case falseRow
        /// Each answer has one row: true, 2 and the time in an hour.
        case trueRow
    }

    private struct State {
        var values: [String: MadeUpValue] = [:]
        /// The columns that have had the first of their two values.
        var begun: Set<String> = []
        /// The number of statements of the call.
        var count = 0
        var statements: Set<String> = []
    }

    /// The look for erased people, which would end most calls for a person.
    private static let lookForErasedPeople = "select asked.tenant, asked.recipient_id from unnest("

    private let mode: Mode
    private let state = Mutex(State())

    init(_ mode: Mode) { self.mode = mode }

    /// The texts of the statements that the server has described so far.
    var statements: Set<String> { state.withLock(\.statements) }

    /// Whether the server has described a statement of the present call.
    var hasBeenAsked: Bool { state.withLock { $0.count > 0 } }

    /// Makes up the rows of this call from now on.
    func begin(_ call: StatementCall) {
        state.withLock { state in
            state.values = call.values
            state.begun = []
            state.count = 0
        }
    }

    var probe: StatementProbe {
        StatementProbe(
            rows: { [mode] text in mode == .noRow || text.hasPrefix(Self.lookForErasedPeople) ? 0 : 1 },
            value: { [self] column, type in value(of: column, type) },
            note: { [self] text in note(text) })
    }

    private func note(_ text: String) {
        state.withLock { state in
            state.count += 1
            state.statements.insert(text)
        }
    }

    private func value(of column: String, _ type: PostgresType) -> (any PostgresEncodable)? {
        switch chosen(for: column) {
        case .null?: return nil
        case let value?: return value.encoded(as: type) ?? standard(of: type)
        case nil: return standard(of: type)
        }
    }

    private func chosen(for column: String) -> MadeUpValue? {
        state.withLock { state -> MadeUpValue? in
            guard let value = state.values[column] ?? MadeUpValue.usual[column] else { return nil }
            guard case .first(let first, let later) = value else { return value }
            return state.begun.insert(column).inserted ? first : later
        }
    }

    /// Null for a type that no reader of the store reads.
    private func standard(of type: PostgresType) -> (any PostgresEncodable)? {
        let number = mode == .trueRow ? 2 : 0
        switch type.oid {
        case PostgresType.bool.oid: return mode == .trueRow
        case PostgresType.int2.oid: return Int16(number)
        case PostgresType.int4.oid: return Int32(number)
        case PostgresType.int8.oid: return Int64(number)
        case PostgresType.float8.oid: return Double(number)
        case PostgresType.text.oid, PostgresType.varchar.oid, PostgresType.name.oid: return Samples.text
        case PostgresType.bytea.oid: return Samples.event
        case PostgresType.uuid.oid: return Samples.uuid
        case PostgresType.timestamptz.oid: return time
        case PostgresType.int2.arrayOID: return [Int16(0)]
        case PostgresType.int8.arrayOID: return [Int64(0)]
        case PostgresType.text.arrayOID: return [Samples.text]
        case PostgresType.uuid.arrayOID: return [Samples.uuid]
        default: return nil
        }
    }

    /// A time near the present one: the clock of the store follows it, and a new id must belong to a day that has its partitions.
    private var time: PostgresTimestamp {
        let hour: Int64 = 3_600_000_000
        return PostgresTimestamp(microseconds: DatabaseClock.local().microseconds + (mode == .trueRow ? hour : 0))
    }
}
