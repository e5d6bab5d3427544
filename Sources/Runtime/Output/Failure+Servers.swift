import TidingsAMQP
import TidingsPostgres

/// The failures of the two servers. The hint fits the cause: a server that answers is running.
///
/// A cause that an operator removes at the server keeps a code after which a supervisor starts a role again: the role then heals by itself.
extension Failure {
    init(broker error: AMQPError) {
        let words = "\(error)".hasPrefix("the broker") ? "\(error)" : "the broker: \(error)"
        let (code, hint): (Code, String) =
            switch error {
            case .authenticationRefused:
                (.notPermitted, "check user and password in TIDINGS_AMQP_URL; the user guest may log in only from the broker's machine")
            case .channelClosed(code: 403, _), .connectionClosed(code: 403, _):
                (.notPermitted, "`tidings queue topology --permissions` prints the rights that each role's user needs")
            case .connectionClosed(let code?, let text) where Self.refusedOpening(code, text) != nil:
                (.unavailable, Self.refusedOpening(code, text) ?? "")
            case .channelClosed(code: 404, _):
                (.unavailable, "start a role (tidings run router): it declares the exchanges and queues")
            case .channelClosed(code: 406, let text) where text.contains("inequivalent arg"):
                // The text of the broker names the queue or exchange, and the argument with both values.
                (
                    .bad,
                    "`tidings queue topology` compares all of them; delete what differs once it is empty, and a role declares it again"
                )
            case .channelClosed(code: 406, _): (.bad, "the broker answers and refuses this; its log says more")
            case .blocked: (.timedOut, "this is an alarm: `rabbitmq-diagnostics alarms` on its machine shows the limit")
            case .timedOut: (.timedOut, "is RabbitMQ overloaded? see tidings doctor")
            case .tlsFailed: (.unavailable, "check cacertfile and the host name in TIDINGS_AMQP_URL, and the broker's certificate")
            case .invalidURL: (.config, "amqp://user:password@host:5672/vhost")
            case .invalidMessage: (.data, "shorten what the message names")
            case .connectFailed, .connectionClosed, .channelClosed, .heartbeatTimeout, .socket, .consumerCancelled, .stopped:
                (.unavailable, "is RabbitMQ running? see tidings doctor")
            }
        self.init(code, words, hint: hint)
    }

    /// The next step after the broker closed a connection with this code of AMQP 0-9-1. Nil for a code that says nothing about the
    /// connection itself.
    ///
    /// RabbitMQ gives the code 530 for each cause that lies in the vhost, and only its text tells the causes apart.
    private static func refusedOpening(_ code: Int, _ text: String) -> String? {
        switch code {
        case 402,
            530 where text.contains("vhost") && text.contains("not found"):
            "create the vhost (`rabbitmqctl add_vhost`), or correct it in TIDINGS_AMQP_URL: it is the part after the last /"
        case 530 where text.contains("limit ("):
            "a limit of the node, the vhost or the user is reached: `rabbitmqctl list_connections` shows who is connected"
        case 530:
            "let the user use the vhost (`rabbitmqctl set_permissions`), or correct user and vhost in TIDINGS_AMQP_URL"
        case 541 where text.contains(AMQPError.unformedQueue):
            "the node was too busy to form the queue in time, and is asked several times: see its load and its log, then try again"
        case 541 where text.contains("vhost"):
            "the vhost is down on that node: `rabbitmqctl restart_vhost`, and see the log of RabbitMQ"
        case 541: "the node has an internal error: see the log of RabbitMQ; another node may be well"
        case 320: "an operator closed the connection, or the node stops; try again"
        default: nil
        }
    }

    init(database error: PostgresError) {
        switch error.kind {
        case _ where error.isReadOnly:
            let words = error.kind == .connectFailed ? error.cause : error.message
            self.init(
                .unavailable, "the database: \(words)",
                hint: "the server is a standby, or default_transaction_read_only is on: let TIDINGS_DATABASE_URL name the primary")
        case _ where error.isOldTimeline:
            self.init(
                .unavailable, "the database: \(error.cause)",
                hint: "fence that server and let TIDINGS_DATABASE_URL name the new primary; after a restore: tidings db accept-timeline")
        case .connectFailed:
            let (code, hint) = Self.refusedConnection(error.sqlState, error.cause)
            self.init(code, "the database: \(error.cause.isEmpty ? "\(error)" : error.cause)", hint: hint)
        case .server, .connectionLost:
            self.init(statement: error)
        case .poolExhausted:
            self.init(.unavailable, "the \(error)", hint: "is PostgreSQL running? see tidings doctor")
        case .notReplicated:
            self.init(
                .timedOut, "the \(error)", hint: "no synchronous standby confirmed the commit: look at pg_stat_replication, then try again")
        case .deadlineExceeded: self.init(.timedOut, "the \(error)", hint: "is PostgreSQL overloaded? see tidings doctor")
        case .configuration: self.init(.config, error.message)
        case .cancelled, .poolClosed, .invalidStatement, .decoding, .rolledBack: self.init(.bad, "the \(error)")
        }
    }

    /// The failure of a `db` command. Its statements bind no values of people, so each message of the server is shown. A refused statement
    /// has another code than ``Code/bad``, with which these commands end if rights are missing or if the audit finds something.
    package static func ofSchema(_ error: any Error) -> Failure {
        let failure = Failure(error)
        guard let error = error as? PostgresError, error.sqlState != nil else { return failure }
        let words = "the \(error): \(error.cause)"
        return switch (error.kind, failure.code) {
        case (.server, .bad):
            Failure(.config, words, hint: "nothing of a failed step stays: remove the cause, and run the command again")
        case (.server, .notPermitted):
            Failure(
                .notPermitted, failure.message,
                hint: "log in as the owner of the schema (`\\dn tidings` of psql names it); for db verify, a member of tidings_run will do")
        case (.connectionLost, _) where !error.isFreeOfData: Failure(failure.code, words, hint: failure.hint)
        default: failure
        }
    }

    /// A refused statement, or a session that ended. The words have the message of the server if it quotes no row.
    private init(statement error: PostgresError) {
        guard error.isFreeOfData else {
            self.init(
                error.kind == .connectionLost ? .unavailable : .bad, "the \(error)",
                hint: error.sqlState == nil ? "is PostgreSQL running? see tidings doctor" : "the log of PostgreSQL has the message")
            return
        }
        // The description of a lost session also says whether a commit has an unknown outcome.
        let words = error.kind == .connectionLost ? "the \(error): \(error.cause)" : "the database: \(error.cause)"
        switch (error.kind, error.sqlState) {
        case (_, let state) where Self.shortage(state) != nil: self.init(.timedOut, words, hint: Self.shortage(state))
        case (.connectionLost, let state): self.init(.unavailable, words, hint: Self.endOfSession(state))
        case (_, "57014"), (_, "55P03"):
            self.init(.timedOut, words, hint: "another session may hold a lock; try again, and look at pg_stat_activity")
        case (_, "42501"):
            self.init(
                .notPermitted, words,
                hint: "a member of tidings_ops_read only reads; other commands log in as a member of tidings_run, or as the owner")
        case _ where error.retryability == .retry: self.init(.timedOut, words, hint: "another session used the same rows; try again")
        default: self.init(.bad, "the \(error): \(error.cause)", hint: "the log of PostgreSQL says more")
        }
    }

    /// The next step if the server lacks something that an operator can give it (classes 53 and 58). Nil for any other cause.
    static func shortage(_ sqlState: String?) -> String? {
        switch sqlState {
        case "53100": "the disk of the server is full: free space on it, or enlarge it"
        case "53200": "the server has no memory left: lower work_mem or max_connections, or give its machine more"
        case "53300": "the server has no connection left: raise max_connections, or connect through PgBouncer"
        case let state? where state.hasPrefix("53"): "a limit of the server is reached: the log of PostgreSQL names it"
        case let state? where state.hasPrefix("58"): "the machine of the server fails: look at its disk and at the log of PostgreSQL"
        default: nil
        }
    }

    /// The next step after the server, or a pooler before it, ended the session with a reason.
    private static func endOfSession(_ sqlState: String?) -> String {
        switch sqlState {
        case "57P01", "57P02", "57P03": "the server stops or restarts, or an administrator ended the session; try again"
        case "25P03", "57P05": "the session was idle for longer than a timeout of the server or of its user allows; try again"
        case let state? where state.hasPrefix("08"): "the server or a pooler such as PgBouncer ended the session; the log of each says more"
        default: "the log of PostgreSQL says more; try again"
        }
    }

    /// The exit code and the hint for a connection that was refused. A refusal with an SQLSTATE is an answer of the server. libpq gives no
    /// SQLSTATE for its own failures.
    private static func refusedConnection(_ sqlState: String?, _ cause: String) -> (Code, String) {
        if let hint = shortage(sqlState) { return (.unavailable, hint) }
        return switch sqlState {
        case "28P01", "28000": (.notPermitted, "check user and password in TIDINGS_DATABASE_URL")
        case "42501": (.notPermitted, "let the user connect: grant connect on database … to …")
        case "3D000": (.config, "create the database, or correct its name in TIDINGS_DATABASE_URL")
        case "57P03": (.unavailable, "the server is starting, stopping or recovering; try again")
        case nil where cause.contains("could not translate host name"): (.unavailable, "check the host in TIDINGS_DATABASE_URL")
        case nil where cause.contains("SSL") || cause.contains("certificate"):
            (.unavailable, "check sslmode and sslrootcert in TIDINGS_DATABASE_URL, and the server's certificate")
        case nil where cause.contains("file descriptor"): (.unavailable, "raise the limit of open files of this process")
        case nil: (.unavailable, "is PostgreSQL running? see tidings doctor")
        default: (.unavailable, "the server or a pooler such as PgBouncer refuses this; the log of each says more")
        }
    }
}
