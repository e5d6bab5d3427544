/// Decides which servers the sessions of a configuration may use.
public protocol SessionAdmission: Sendable {
    /// Judges a new session before its first use.
    ///
    /// Throws a ``PostgresError/oldTimeline(_:)`` to refuse the server. The session is then closed, and the next host of the URL is tried.
    ///
    /// - Parameter timeline: nil if it cannot be read.
    func admit(_ timeline: PostgresTimeline?) async throws(PostgresError) -> SessionTicket

    /// Whether a session may still be used. The pool asks before it lends a session, so the answer must not block.
    func isAdmitted(_ ticket: SessionTicket) -> Bool
}

/// The result of an admission, which its session keeps.
public struct SessionTicket: Sendable, Hashable {
    /// Nil if the timeline could not be read.
    public let timeline: PostgresTimeline?
    /// A number of the judge. A judge that no longer trusts any session raises it.
    public let round: Int

    public init(timeline: PostgresTimeline?, round: Int) {
        self.timeline = timeline
        self.round = round
    }
}

extension PostgresConnection {
    /// Opens a session with a server that `admission` takes. Each host of the URL is refused at most once, and new sessions try a refused
    /// host last for a while.
    ///
    /// Throws the first refusal if no other host can be used.
    static func connect(
        _ configuration: PostgresConfiguration, admittedBy admission: any SessionAdmission
    ) async throws(PostgresError) -> PostgresConnection {
        var (refused, refusal) = (Set<Int>(), PostgresError?.none)
        while true {
            let connection: PostgresConnection
            do throws(PostgresError) { connection = try await open(configuration) } catch { throw refusal ?? error }
            do throws(PostgresError) {
                connection.keep(try await admission.admit(try await connection.timeline()))
                return connection
            } catch {
                let (name, host) = (await connection.hostName, await connection.avoidHost())
                await connection.close()
                guard error.isOldTimeline else { throw refusal ?? error }
                let first = refusal ?? error.naming(name)
                // A refused host again: no other one gives a session.
                guard let host, refused.insert(host).inserted, refused.count < configuration.hosts.hosts.count else { throw first }
                refusal = first
            }
        }
    }

    /// The timeline of the session's server. Nil if the server is in recovery, or does not let this user ask.
    func timeline() throws(PostgresError) -> PostgresTimeline? {
        do throws(PostgresError) {
            return try PostgresTimeline(try query(PostgresTimeline.query))
        } catch {
            if error.hidesTimeline { return nil }
            var error = error
            error.kind = .connectFailed
            error.isUnsent = false
            throw error
        }
    }
}

extension PostgresPool {
    /// Whether a connection is alive, and its server still admitted.
    func isUsable(_ connection: PostgresConnection) -> Bool {
        guard connection.isUsable else { return false }
        guard let admission = configuration.admission, let ticket = connection.ticket else { return true }
        return admission.isAdmitted(ticket)
    }
}

extension PostgresError {
    /// The refusal of a server that is on an old timeline.
    public static func oldTimeline(_ message: String) -> PostgresError {
        var error = PostgresError(.connectFailed, message: message)
        error.isOldTimeline = true
        return error
    }

    /// The same error with the server's address before its message.
    fileprivate func naming(_ host: String?) -> PostgresError {
        guard let host else { return self }
        var error = self
        error.message = "\(host): \(message)"
        return error
    }
}
