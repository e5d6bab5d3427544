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
            case .authenticationRefused: (.notPermitted, "check user, password and vhost in TIDINGS_AMQP_URL")
            case .channelClosed(code: 403, _), .connectionClosed(code: 403, _):
                (.notPermitted, "`tidings queue topology --permissions` prints the rights that each role's user needs")
            case .connectionClosed(code: 530, _): (.unavailable, "check the vhost in TIDINGS_AMQP_URL, and the user's rights on it")
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

    init(database error: PostgresError) {
        switch error.kind {
        case _ where error.isReadOnly:
            let words = error.kind == .connectFailed ? error.cause : error.message
            self.init(
                .unavailable, "the database: \(words)",
                hint: "the server is a standby, or default_transaction_read_only is on: let TIDINGS_DATABASE_URL name the primary")
        case .connectFailed:
            let (code, hint) = Self.refusedConnection(error.sqlState, error.cause)
            self.init(code, "the database: \(error.cause.isEmpty ? "\(error)" : error.cause)", hint: hint)
        case .connectionLost, .poolExhausted:
            self.init(.unavailable, "the \(error)", hint: "is PostgreSQL running? see tidings doctor")
        case .deadlineExceeded: self.init(.timedOut, "the \(error)", hint: "is PostgreSQL overloaded? see tidings doctor")
        case .server where ["57014", "55P03"].contains(error.sqlState):
            // A time limit passed on the server. The message names no data.
            self.init(
                .timedOut, "the database: \(error.message)",
                hint: "another session may hold a lock; try again, and look at pg_stat_activity")
        case .server where error.sqlState == "42501":
            // The message names the object and no data.
            self.init(
                .notPermitted, "the database: \(error.message)",
                hint: "a member of tidings_ops_read only reads; other commands log in as a member of tidings_run, or as the owner")
        case .configuration: self.init(.config, error.message)
        case .server, .cancelled, .poolClosed, .invalidStatement, .decoding, .rolledBack: self.init(.bad, "the \(error)")
        }
    }

    /// The exit code and the hint for a connection that was refused. A refusal with an SQLSTATE is an answer of the server. libpq gives no
    /// SQLSTATE for its own failures.
    private static func refusedConnection(_ sqlState: String?, _ cause: String) -> (Code, String) {
        switch sqlState {
        case "28P01", "28000": (.notPermitted, "check user and password in TIDINGS_DATABASE_URL")
        case "42501": (.notPermitted, "let the user connect: grant connect on database … to …")
        case "3D000": (.config, "create the database, or correct its name in TIDINGS_DATABASE_URL")
        case "53300": (.unavailable, "the server has no connection left: raise max_connections, or connect through PgBouncer")
        case "57P03": (.unavailable, "the server is starting, stopping or recovering; try again")
        case nil where cause.contains("could not translate host name"): (.unavailable, "check the host in TIDINGS_DATABASE_URL")
        case nil where cause.contains("SSL") || cause.contains("certificate"):
            (.unavailable, "check sslmode and sslrootcert in TIDINGS_DATABASE_URL, and the server's certificate")
        case nil where cause.contains("file descriptor"): (.unavailable, "raise the limit of open files of this process")
        default: (.unavailable, "is PostgreSQL running? see tidings doctor")
        }
    }
}
