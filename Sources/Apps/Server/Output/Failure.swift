import TidingsAMQP
import TidingsPostgres
import TidingsStore

/// The reason why a command fails: one line, a hint, and an exit code of sysexits.
public struct Failure: Error, Sendable {
    public enum Code: Int32, Sendable {
        /// The command ran, and its answer is bad: not found, unhealthy, a failed delivery.
        case bad = 1
        case usage = 64
        /// The input is wrong.
        case data = 65
        /// The broker or the database cannot be reached.
        case unavailable = 69
        /// Standard output could not be written. The command's changes stay.
        case outputLost = 74
        case timedOut = 75
        case notPermitted = 77
        case config = 78
    }

    public let code: Code
    public let message: String
    public let hint: String?

    public init(_ code: Code, _ message: String, hint: String? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
    }

    /// Turns any error into a failure.
    package init(_ error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case StoreError.clockSkew:
            // Not the code of a wrong configuration: a supervisor would not start the role again, but the skew passes when both clocks are
            // set.
            self.init(.timedOut, "\(error)", hint: "are both machines synchronised? see timedatectl")
        case StoreError.tableInUse: self.init(.timedOut, "\(error)")
        case let error as StoreError: self.init(.config, "\(error)")
        case let error as AMQPError:
            switch error {
            case .authenticationRefused: self.init(.notPermitted, "\(error)", hint: "check user, password and vhost in TIDINGS_AMQP_URL")
            case .channelClosed(code: 404, _):
                self.init(
                    .unavailable, "the broker: \(error)", hint: "start a role (tidings run router): it declares the exchanges and queues")
            default: self.init(.unavailable, "the broker: \(error)", hint: "is RabbitMQ running? see tidings doctor")
            }
        case let error as PostgresError:
            switch error.kind {
            case .connectFailed:
                // The message of libpq names host, port and cause, and no data. The lines after the first are only guesses.
                let cause = error.message.split(separator: "\n").first.map(String.init) ?? "\(error)"
                if ["28P01", "28000"].contains(error.sqlState) {
                    self.init(.notPermitted, "the database: \(cause)", hint: "check user and password in TIDINGS_DATABASE_URL")
                } else {
                    self.init(.unavailable, "the database: \(cause)", hint: "is PostgreSQL running? see tidings doctor")
                }
            case .connectionLost, .deadlineExceeded, .poolExhausted:
                self.init(.unavailable, "the \(error)", hint: "is PostgreSQL running? see tidings doctor")
            case .server where error.sqlState == "42501":
                // The message names the object and no data.
                self.init(
                    .notPermitted, "the database: \(error.message)",
                    hint: "a member of tidings_ops_read only reads; other commands log in as a member of tidings_run, or as the owner")
            case .configuration: self.init(.config, error.message)
            default: self.init(.bad, "the \(error)")
            }
        default: self.init(.bad, "\(error)")
        }
    }
}
