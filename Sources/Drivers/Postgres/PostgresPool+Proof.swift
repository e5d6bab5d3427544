/// Answers that prove a durable state.
///
/// A transaction that finds its work done writes nothing, and PostgreSQL does not let such a commit wait for a synchronous standby. The rows
/// that it found may belong to a commit whose wait was cancelled, or whose session or process ended. A failover then loses them although
/// the repetition was acknowledged. So a transaction that answers for earlier work makes a commit of its own, which waits for everything
/// before it.
extension PostgresPool {
    /// Writes a record to the write-ahead log if commits wait for a standby, so that the commit of this transaction waits too. Otherwise
    /// costs one SELECT without a table.
    ///
    /// The record is a transactional message of some 60 bytes. It takes no lock and changes no row, so such commits do not wait for each
    /// other. Every role may write it, with any `wal_level`. A consumer of logical decoding sees it with the prefix `tidings`.
    static let mark: SQL = """
        select case when current_setting('synchronous_standby_names') <> '' and current_setting('synchronous_commit') not in ('off', 'local')
            then pg_logical_emit_message(true, 'tidings', ''::text) end
        """

    /// Runs one statement as a transaction with the settings of every other transaction. Its answer is proof of a durable state, also if
    /// the statement found nothing left to change.
    public func write(_ sql: SQL) async throws(PostgresError) -> PostgresResult {
        do throws(PostgresError) {
            return try await pipeline([sql], asProof: true)[0]
        } catch {
            var error = error
            error.statementIndex = nil
            throw error
        }
    }
}
