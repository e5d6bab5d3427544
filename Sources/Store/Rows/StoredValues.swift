import Synchronization
public import TidingsCore
public import TidingsPostgres

/// A word of a closed list, as a column holds it.
///
/// A word that this version does not know was written by a newer version. It is an error and never a guess: a guess sends a delivery that
/// should wait, or sends it the wrong way.
protocol StoredWord: PostgresDecodable, RawRepresentable where RawValue == String {}

extension StoredWord {
    public init(postgres cell: PostgresCell) throws(PostgresError) {
        let text = try cell.decode(String.self)
        guard let word = Self(rawValue: text) else { throw .decoding("\(Self.self) \(text) is not known to this version") }
        self = word
    }

    public static func decodeArray(postgres cell: PostgresCell) throws(PostgresError) -> [Self] {
        throw .decoding("an array of words is read as text")
    }
}

extension Channel: StoredWord {}
extension TidingsCore.Category: StoredWord {}
extension Lane: StoredWord {}
extension ReasonCode: StoredWord {}
extension DeliveryState: StoredWord {}
extension DueKind: StoredWord {}

extension NotificationID: PostgresDecodable {
    public init(postgres cell: PostgresCell) throws(PostgresError) { self.init(try PostgresUUID(postgres: cell)) }

    public static func decodeArray(postgres cell: PostgresCell) throws(PostgresError) -> [NotificationID] {
        try PostgresUUID.decodeArray(postgres: cell).map { NotificationID($0) }
    }
}

extension Timestamp: PostgresDecodable {
    public init(postgres cell: PostgresCell) throws(PostgresError) { self.init(try PostgresTimestamp(postgres: cell)) }

    public static func decodeArray(postgres cell: PostgresCell) throws(PostgresError) -> [Timestamp] {
        try PostgresTimestamp.decodeArray(postgres: cell).map { Timestamp($0) }
    }
}

extension PostgresError {
    /// Whether one row cannot be written, or cannot be read by this version. The other rows of its batch can.
    package var isAboutARow: Bool { isAboutTheData || kind == .decoding }
}

/// The rows that the current try of a transaction took. They tell which row made it fail.
final class TakenRows<Key: Sendable>: Sendable {
    private let keys = Mutex<[Key]>([])

    func set(_ taken: [Key]) { keys.withLock { $0 = taken } }

    /// The row, if a single one was taken.
    var only: Key? { keys.withLock { $0.count == 1 ? $0[0] : nil } }
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

    /// Whether a newer version wrote the row. That version can also move it, so this one leaves it alone.
    public var isStrange: Bool { cause.kind == .decoding }

    public var description: String { "\(row): \(cause)" }
}
