import Testing
import TidingsAMQP

@testable import TidingsPostgres
@testable import TidingsServer

/// A failure of a server names its cause. The next step fits the cause, and so does the exit code.
@Suite struct FailureHintTests {
    private static let unequal =
        "PRECONDITION_FAILED - inequivalent arg 'x-queue-type' for queue 'tidings.intents.urgent' in vhost '/': received 'quorum' but "
        + "current is 'classic'"

    /// The error, the exit code, a part of the message, and a part of the hint.
    static let ofBroker: [(AMQPError, Failure.Code, String, String)] = [
        (.blocked(reason: "low on memory"), .timedOut, "blocks publishers: low on memory", "alarms"),
        (.timedOut("a confirm of the broker"), .timedOut, "a confirm of the broker", "overloaded"),
        (.channelClosed(code: 406, text: unequal), .bad, "'x-queue-type' for queue 'tidings.intents.urgent'", "tidings queue topology"),
        (.channelClosed(code: 406, text: "PRECONDITION_FAILED - user_id"), .bad, "user_id", "refuses this"),
        (.channelClosed(code: 403, text: "ACCESS_REFUSED"), .notPermitted, "ACCESS_REFUSED", "--permissions"),
        (.channelClosed(code: 404, text: "NOT_FOUND"), .unavailable, "404", "tidings run router"),
        (.connectionClosed(code: 530, text: "NOT_ALLOWED - vhost shop not found"), .unavailable, "vhost shop", "check the vhost"),
        (.tlsFailed("self-signed"), .unavailable, "self-signed", "cacertfile"),
        (.connectFailed(reason: "Connection refused", host: "h:1"), .unavailable, "h:1", "is RabbitMQ running?"),
    ]

    @Test(arguments: ofBroker) func theBrokersCauseIsNamed(_ error: AMQPError, code: Failure.Code, part: String, hint: String) {
        let failure = Failure(error)
        #expect(failure.code == code && failure.message.contains(part), "\(failure)")
        #expect(failure.hint?.contains(hint) == true, "\(failure)")
        #expect(!failure.message.contains("the broker: the broker"))
    }

    private static let place = "connection to server at \"127.0.0.1\", port 5432 failed: "

    static let ofDatabase: [(PostgresError, Failure.Code, String, String)] = [
        (.init(.connectFailed, message: place + "session is read-only\n"), .unavailable, "session is read-only", "the primary"),
        (
            .init(.server, sqlState: "25006", message: "cannot execute UPDATE in a read-only transaction"), .unavailable, "read-only",
            "the primary"
        ),
        (
            .init(.connectFailed, sqlState: "3D000", message: place + "FATAL:  3D000: no database"), .config, "no database",
            "correct its name"
        ),
        (
            .init(.connectFailed, sqlState: "28P01", message: place + "FATAL:  28P01: password"), .notPermitted, "password",
            "user and password"
        ),
        (.init(.connectFailed, sqlState: "53300", message: place + "FATAL:  53300: too many"), .unavailable, "too many", "max_connections"),
        (.init(.connectFailed, sqlState: "57P03", message: place + "FATAL:  57P03: starting"), .unavailable, "starting", "try again"),
        (.init(.connectFailed, message: "could not translate host name \"x\""), .unavailable, "host name", "check the host"),
        (.init(.connectFailed, message: place + "SSL error: certificate verify failed"), .unavailable, "SSL", "sslrootcert"),
        (.init(.connectFailed, message: place + "Connection refused\n\tIs it running?"), .unavailable, "refused", "is PostgreSQL running?"),
        (.init(.server, sqlState: "57014", message: "canceling statement"), .timedOut, "canceling", "pg_stat_activity"),
        (.init(.deadlineExceeded, message: "no answer"), .timedOut, "deadlineExceeded", "overloaded"),
    ]

    @Test(arguments: ofDatabase) func theDatabasesCauseIsNamed(_ error: PostgresError, code: Failure.Code, part: String, hint: String) {
        let failure = Failure(error)
        #expect(failure.code == code && failure.message.contains(part), "\(failure)")
        #expect(failure.hint?.contains(hint) == true, "\(failure)")
        #expect(!failure.message.contains("\n"))
    }

    /// A log of a role has only the description.
    @Test func aRefusedConnectionDescribesItsCause() {
        let error = PostgresError(.connectFailed, message: Self.place + "session is read-only\n")
        #expect("\(error)" == "database: connectFailed: " + Self.place + "session is read-only")
    }
}
