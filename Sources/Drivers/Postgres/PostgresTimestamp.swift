/// `timestamptz`: an instant in microseconds since 1970-01-01 00:00 UTC, without leap seconds.
///
/// The server accepts instants from 4713 BC to AD 294276 and refuses others with SQLSTATE 22008.
public struct PostgresTimestamp: PostgresEncodable, PostgresDecodable, Hashable {
    public var microseconds: Int64

    public init(microseconds: Int64) { self.microseconds = microseconds }

    /// PostgreSQL's `infinity`, later than every instant.
    public static let infinity = PostgresTimestamp(microseconds: .max)
    /// PostgreSQL's `-infinity`, earlier than every instant.
    public static let minusInfinity = PostgresTimestamp(microseconds: .min)

    /// Microseconds from 1970-01-01 to 2000-01-01, PostgreSQL's own epoch.
    private static let epochOffset: Int64 = 946_684_800_000_000

    public static var postgresType: PostgresType { .timestamptz }

    public func encode(into bytes: inout [UInt8]) {
        if self == .infinity || self == .minusInfinity { return bytes.appendBigEndian(microseconds) }
        let (shifted, isOverflow) = microseconds.subtractingReportingOverflow(Self.epochOffset)
        // One above -infinity is outside the server's range, so the server refuses an instant that cannot be represented.
        bytes.appendBigEndian(isOverflow ? Int64.min + 1 : shifted)
    }

    public init(postgres cell: PostgresCell) throws(PostgresError) {
        let stored = try unsafe cell.read(.timestamptz) { bytes throws(PostgresError) in try unsafe bytes.whole(Int64.self) }
        if stored == .max || stored == .min {
            microseconds = stored
        } else {
            let (shifted, isOverflow) = stored.addingReportingOverflow(Self.epochOffset)
            guard !isOverflow else { throw .decoding("the instant is out of range") }
            microseconds = shifted
        }
    }
}
