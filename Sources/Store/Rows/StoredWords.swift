public import TidingsCore
public import TidingsPostgres

extension PostgresRow {
    /// A word of a closed list. A word that this version does not know was written by a newer one: it is an error, never a guess, for a guess sends
    /// what should wait, or the wrong way.
    func decodeWord<Word: RawRepresentable>(_ column: Int) throws -> Word where Word.RawValue == String {
        let text = try decode(column, as: String.self)
        guard let word = Word(rawValue: text) else {
            throw PostgresError.decoding("\(Word.self) \(text) is not known to this version")
        }
        return word
    }
}

extension PostgresError {
    /// Some row cannot be written, or cannot be read by this version: the others of its batch can.
    var isAboutARow: Bool { isAboutTheData || kind == .decoding }
}

/// One row that keeps its batch from being written.
public struct UnwritableRow: Error, CustomStringConvertible {
    public enum Row: Sendable, Hashable {
        case delivery(DeliveryKey)
        case pack(PackID)
    }

    public let row: Row
    public let cause: PostgresError

    init(pack: PackID, cause: PostgresError) {
        row = .pack(pack)
        self.cause = cause
    }

    init(delivery: DeliveryKey, cause: PostgresError) {
        row = .delivery(delivery)
        self.cause = cause
    }

    /// A newer version wrote it, and can write it again: it is left alone.
    public var isStrange: Bool { cause.kind == .decoding }

    public var description: String { "\(row): \(cause)" }
}
