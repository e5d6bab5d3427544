import Synchronization
import TidingsWaiting

/// Sessions whose commits wait for a synchronous standby after the deadline of their caller.
///
/// The caller gets its error at its deadline, and the socket is closed. The server process does not notice: it waits for the standby, for
/// hours if need be. Cancelling the wait would make the commit a local one. A new session for each retry would use up `max_connections`
/// within minutes. So the pool counts a dropped session against its size until the server says that its wait is over.
extension PostgresPool {
    /// The time between two looks. A look is one query of `pg_stat_activity`.
    package static let lookInterval = Duration.seconds(1)
    /// The time limit for a look. A server that is slower tells nothing.
    package static let lookLimit = Duration.seconds(5)

    /// The number of sessions of this login that have waited for a standby for more than a second, or for a lock that a waiting commit may
    /// hold. With a standby that works, a wait takes milliseconds. A pooler hides the server processes of a client, so the query counts the
    /// waits of all processes.
    private static let waitingCommits: SQL = """
        select count(*) from pg_stat_activity where (wait_event = 'SyncRep' or wait_event_type = 'Lock') and usename = session_user
            and datname = current_database() and state_change < clock_timestamp() - interval '1 second'
        """

    /// Asks the server, on a connection beside the pool's, until no session is left behind. Sessions that were dropped for another reason,
    /// such as a network that went silent, are free after the first look.
    func look() async {
        var scout: PostgresConnection?
        var failures = 0
        while true {
            let goesOn: Bool
            var pause = Self.lookInterval
            do throws(PostgresError) {
                let waiting = try await waitingCommits(on: &scout)
                failures = 0
                log(.looked(waiting: waiting))
                let openers: Int
                (goesOn, openers) = state.withLock { state in
                    let goesOn = state.looked(waiting: waiting)
                    return (goesOn, state.openersToStart())
                }
                startOpening(openers)
            } catch {
                failures += 1
                goesOn = state.withLock { $0.lookFailed(error) }
                pause = Backoff.connecting.pause(afterFailure: failures)
                log(.connectFailed(error, retryAfter: goesOn ? pause : nil))
                await scout?.close()
                scout = nil
            }
            guard goesOn else { break }
            // Nothing cancels this task. An early end of the pause would only mean an early look.
            try? await Task.sleep(for: pause)
        }
        await scout?.close()
    }

    private func waitingCommits(on scout: inout PostgresConnection?) async throws(PostgresError) -> Int {
        let connection: PostgresConnection
        if let scout, isUsable(scout) {
            connection = scout
        } else {
            // The server may be an old primary by now. Its waiting commits must not hold up sessions at the new one.
            await scout?.close()
            connection = try await PostgresConnection.connect(configuration)
        }
        scout = connection
        return try await connection.query(Self.waitingCommits, deadline: Self.lookLimit).rows.first?.decode(Int.self) ?? 0
    }
}
