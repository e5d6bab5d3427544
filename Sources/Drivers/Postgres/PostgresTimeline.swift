/// A history of changes: the cluster that a server belongs to, and the server's timeline in it.
///
/// A promotion raises the timeline. A primary that lost its place stays on the lower one. So of two servers that write as members of the
/// same cluster, the one with the lower timeline is an old primary.
public struct PostgresTimeline: Sendable, Hashable {
    /// The system identifier of the cluster. `initdb` makes it. A standby and a restored base backup have the identifier of their origin. A
    /// cluster after `pg_upgrade`, or one into which a dump was restored, has another one.
    public let system: UInt64
    /// The number of the timeline, from 1.
    public let number: UInt32

    public init(system: UInt64, number: UInt32) {
        self.system = system
        self.number = number
    }

    /// Reads the form of ``description``. Nil for any other text.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let system = UInt64(parts[0]), let number = UInt32(parts[1]), number > 0 else { return nil }
        self.init(system: system, number: number)
    }

    /// One row with the system identifier and the timeline. The timeline is null on a server in recovery, which takes no writes. Every user
    /// may ask, unless an administrator has revoked the functions from public.
    ///
    /// The name of the current WAL file begins with the timeline. `pg_control_checkpoint()` shows an old timeline until the first checkpoint
    /// after a promotion, which is too late.
    static let query: SQL = "select (select system_identifier from pg_control_system()), \(expression)"

    /// The timeline of the session's server, as an expression. Null on a server in recovery.
    package static let expression: SQL = """
        case when not pg_is_in_recovery() then ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint end
        """

    /// Nil if the server is in recovery.
    init?(_ result: PostgresResult) throws(PostgresError) {
        guard let row = result.rows.first else { throw .decoding("no row with the timeline") }
        let (system, number) = try row.decode((Int, Int?).self)
        guard let number else { return nil }
        self.init(system: UInt64(bitPattern: Int64(system)), number: UInt32(truncatingIfNeeded: number))
    }
}

extension PostgresTimeline: CustomStringConvertible {
    /// Both numbers with a slash between them, such as `7448562081373126729/3`.
    public var description: String { "\(system)/\(number)" }
}

extension PostgresPool {
    /// The timeline of the server that answers. Behind a pooler, the next statement may go to another server. Nil if the server is in
    /// recovery, or does not tell its timeline.
    package func timeline() async throws(PostgresError) -> PostgresTimeline? {
        do throws(PostgresError) {
            return try PostgresTimeline(try await query(PostgresTimeline.query))
        } catch {
            if error.hidesTimeline { return nil }
            throw error
        }
    }
}

extension PostgresError {
    /// Whether the server does not tell its timeline: the user may not call a function (SQLSTATE 42501), or the server does not have it, as
    /// some that only speak the protocol of PostgreSQL (0A000, 42883).
    var hidesTimeline: Bool { ["42501", "0A000", "42883"].contains(sqlState) }
}
