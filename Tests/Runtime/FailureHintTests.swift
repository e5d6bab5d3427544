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
        (.authenticationRefused, .notPermitted, "user name or password", "check user and password"),
        (.connectionClosed(code: 403, text: "ACCESS_REFUSED"), .notPermitted, "ACCESS_REFUSED", "--permissions"),
        (.connectionClosed(code: 530, text: "NOT_ALLOWED - vhost shop not found"), .unavailable, "vhost shop", "add_vhost"),
        (.connectionClosed(code: 402, text: "INVALID_PATH"), .unavailable, "402", "add_vhost"),
        (
            .connectionClosed(code: 530, text: "NOT_ALLOWED - access to vhost 'shop' refused for user 'ann'"), .unavailable, "'ann'",
            "set_permissions"
        ),
        (
            .connectionClosed(code: 530, text: "NOT_ALLOWED - connection refused for user 'ann': user connection limit (9) is reached"),
            .unavailable, "(9)", "list_connections"
        ),
        (
            .connectionClosed(code: 541, text: "INTERNAL_ERROR - access to vhost '/' refused for user 'ann': vhost '/' is down"),
            .unavailable, "is down", "restart_vhost"
        ),
        (
            .connectionClosed(
                code: 541, text: "INTERNAL_ERROR - Cannot declare a queue 'queue 'a' in vhost '/'' on node 'rabbit@a': cluster_not_formed"),
            .unavailable, "cluster_not_formed", "too busy to form the queue"
        ),
        (
            .connectionClosed(
                code: 541,
                text: "INTERNAL_ERROR - Cannot declare quorum queue 'a' in vhost '/' on node 'rabbit@a' with leader on node 'rabbit@a': "
                    + "cluster_not_formed"),
            .unavailable, "cluster_not_formed", "too busy to form the queue"
        ),
        (.connectionClosed(code: 541, text: "INTERNAL_ERROR"), .unavailable, "541", "another node"),
        (.connectionClosed(code: 320, text: "CONNECTION_FORCED - shutdown"), .unavailable, "shutdown", "try again"),
        (.connectionClosed(code: nil, text: "hung up"), .unavailable, "hung up", "is RabbitMQ running?"),
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
        (.init(.connectFailed, sqlState: "08P01", message: place + "FATAL:  08P01: no user"), .unavailable, "no user", "PgBouncer"),
        (.init(.connectFailed, sqlState: "53200", message: place + "FATAL:  53200: out of memory"), .unavailable, "out of", "no memory"),
        (.init(.connectionLost, sqlState: "57P01", message: "terminating connection"), .unavailable, "terminating", "try again"),
        (.init(.connectionLost, sqlState: "25P03", message: "idle-in-transaction timeout"), .unavailable, "idle-in-tr", "idle for longer"),
        (.init(.connectionLost, sqlState: "08P01", message: "query_wait_timeout"), .unavailable, "query_wait_timeout", "PgBouncer"),
        (.init(.connectionLost, message: "server closed the connection"), .unavailable, "connectionLost", "is PostgreSQL running?"),
        (.init(.connectionLost, sqlState: "53200", message: "out of memory"), .timedOut, "out of memory", "no memory"),
        (.init(.server, sqlState: "53100", message: "No space left on device"), .timedOut, "No space left", "disk of the server"),
        (.init(.server, sqlState: "53400", message: "temp_file_limit"), .timedOut, "temp_file_limit", "a limit of the server"),
        (.init(.server, sqlState: "58030", message: "could not read block 7"), .timedOut, "block 7", "its disk"),
        (.init(.server, sqlState: "40P01", message: "deadlock detected"), .timedOut, "deadlock detected", "try again"),
        (.init(.server, sqlState: "42P01", message: "no relation tidings.due"), .bad, "42P01: no relation tidings.due", "the log of"),
        (.init(.server, sqlState: "42501", message: "permission denied"), .notPermitted, "permission denied", "tidings_ops_read"),
        (.init(.server, sqlState: "XX000", message: "value 7"), .bad, "XX000", "the log of PostgreSQL has the message"),
    ]

    @Test(arguments: ofDatabase) func theDatabasesCauseIsNamed(_ error: PostgresError, code: Failure.Code, part: String, hint: String) {
        let failure = Failure(error)
        #expect(failure.code == code && failure.message.contains(part), "\(failure)")
        #expect(failure.hint?.contains(hint) == true, "\(failure)")
        #expect(!failure.message.contains("\n"))
    }

    /// The message of such an error may quote a row, and so may that of a lost session.
    @Test(arguments: [PostgresError.Kind.server, .connectionLost], ["22P02", "23505", "P0001"])
    func aMessageWithDataIsNotShown(kind: PostgresError.Kind, sqlState: String) {
        let failure = Failure(PostgresError(kind, sqlState: sqlState, message: "invalid: \"ann\""))
        #expect(!failure.message.contains("ann") && failure.message.contains(sqlState) && failure.hint != nil, "\(failure)")
    }

    @Test func anUnknownOutcomeIsTold() {
        var error = PostgresError(.connectionLost, sqlState: "57P01", message: "terminating connection")
        error.isAmbiguousCommit = true
        #expect(Failure(error).message == "the database: connectionLost 57P01, outcome unknown: terminating connection")
    }

    static let ofSchema: [(PostgresError, Failure.Code, String)] = [
        (.init(.server, sqlState: "42P06", message: "schema exists"), .config, "remove the cause"),
        (.init(.server, sqlState: "0LP01", message: "cannot be granted back"), .config, "remove the cause"),
        (.init(.server, sqlState: "23505", message: "could not create unique index"), .config, "remove the cause"),
        (.init(.server, sqlState: "42501", message: "must be owner of table inbox"), .notPermitted, "owner of the schema"),
        (.init(.server, sqlState: "53100", message: "No space left on device"), .timedOut, "disk of the server"),
        (.init(.connectionLost, sqlState: "XX000", message: "broken"), .unavailable, "the log of PostgreSQL"),
        (.init(.connectionLost, sqlState: "57P01", message: "terminating connection"), .unavailable, "try again"),
    ]

    /// Each error of a `db` command has the message, and exit code 1 is left to the verdict of the command.
    @Test(arguments: ofSchema) func aCommandOfTheSchemaShowsEachMessage(_ error: PostgresError, code: Failure.Code, hint: String) {
        let failure = Failure.ofSchema(error)
        #expect(failure.code == code && failure.message.contains(error.message), "\(failure)")
        #expect(failure.hint?.contains(hint) == true && failure.hint?.contains("tidings_ops_read") == false, "\(failure)")
    }

    /// A log of a role has only the description.
    @Test func aRefusedConnectionDescribesItsCause() {
        let error = PostgresError(.connectFailed, message: Self.place + "session is read-only\n")
        #expect("\(error)" == "database: connectFailed: " + Self.place + "session is read-only")
    }
}
