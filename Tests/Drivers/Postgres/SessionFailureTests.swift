import Glibc
import Testing
import TidingsPostgres
import TidingsTestSupport

struct SessionFailureTests {
    /// A limit of connecting that is longer than the slowest machine takes to fail at once.
    private static let neverReached = Duration.seconds(60)

    @Test func aTerminatedSessionSaysWhy() async throws {
        try await withDatabase { configuration in
            let connection = try await PostgresConnection.connect(configuration)
            let error = try await failure { try await connection.query("select pg_terminate_backend(pg_backend_pid())") }
            #expect(error.sqlState == "57P01")
            #expect(error.kind == .connectionLost)
            #expect(error.retryability == .reconnect)
            #expect(error.isAmbiguousCommit)
            #expect(!connection.isUsable)
            let later = try await failure { try await connection.query("select 1") }
            #expect(later.isUnsent && !later.isAmbiguousCommit)
            #expect(later.sqlState == "57P01")
        }
    }

    @Test func aSessionTerminatedWhileIdleIsNoticedWithoutAStatement() async throws {
        try await withDatabase { configuration in
            let connection = try await PostgresConnection.connect(configuration)
            let other = try await PostgresConnection.connect(configuration)
            _ = try await other.query("select pg_terminate_backend(\(connection.processID)::int4, \(Int64(Patience.scaled(5_000))))")
            // The pool asks the same before it lends a connection. Nothing else tells of the end.
            while connection.isUsable { try await Task.sleep(for: .milliseconds(1)) }
            #expect(try await failure { try await connection.query("select 1") }.sqlState == "57P01")
            await other.close()
        }
    }

    @Test func aFrozenServerProcessCannotHoldTheCaller() async throws {
        try await withDatabase { configuration in
            let connection = try await PostgresConnection.connect(configuration)
            let backend = await connection.processID
            try #require(kill(backend, SIGSTOP) == 0)
            defer { kill(backend, SIGCONT) }
            let start = ContinuousClock.now
            let error = try await failure { try await connection.query("select 1", deadline: .milliseconds(300)) }
            #expect(error.kind == .deadlineExceeded)
            #expect(error.retryability == .reconnect)
            #expect(error.isAmbiguousCommit)
            #expect(ContinuousClock.now - start < .seconds(3).patient)
            #expect(!connection.isUsable)
        }
    }

    @Test func aStatementTimeoutLeavesTheConnectionUsable() async throws {
        try await withConnection { connection in
            try await connection.execute(script: "begin; set local statement_timeout = 50")
            let error = try await failure { try await connection.query("select pg_sleep(20)") }
            #expect(error.sqlState == "57014")
            #expect(error.retryability == .retry)
            _ = try await connection.query("rollback")
            #expect(try await connection.query("select 1").rows[0].decode(Int.self) == 1)
        }
    }

    @Test func aConnectionLetGoOfEndsItsSession() async throws {
        try await withDatabase { configuration in
            let other = try await PostgresConnection.connect(configuration)
            let process = try await PostgresConnection.connect(configuration).processID
            let count: SQL = "select count(*) from pg_stat_activity where pid = \(process)"
            let deadline = ContinuousClock.now + .seconds(20).patient
            // No event signals the end of another session.
            while try await other.query(count).rows[0].decode(Int.self) > 0, ContinuousClock.now < deadline {}
            #expect(try await other.query(count).rows[0].decode(Int.self) == 0)
            await other.close()
        }
    }

    @Test func aClosedPortFailsAtOnce() async throws {
        let absent = try AbsentService()
        var configuration = try PostgresConfiguration(url: "postgres://postgres@127.0.0.1:\(absent.port)/postgres")
        configuration.connectTimeout = Self.neverReached
        let start = ContinuousClock.now
        let error = try await failure { try await PostgresConnection.connect(configuration) }
        withExtendedLifetime(absent) {}
        #expect(error.kind == .connectFailed)
        #expect(error.retryability == .reconnect)
        #expect(ContinuousClock.now - start < .seconds(5).patient)
    }

    @Test func aServerThatNeverAnswersRunsIntoTheDeadline() async throws {
        let hole = try ListeningSocket()
        var configuration = try PostgresConfiguration(url: "postgres://postgres@127.0.0.1:\(hole.port)/postgres")
        configuration.connectTimeout = .milliseconds(200)
        let start = ContinuousClock.now
        let error = try await failure { try await PostgresConnection.connect(configuration) }
        #expect(error.kind == .connectFailed)
        #expect(ContinuousClock.now - start >= .milliseconds(200))
        #expect(ContinuousClock.now - start < .seconds(5).patient)
        withExtendedLifetime(hole) {}
    }

    @Test func cancellingEndsConnecting() async throws {
        let hole = try ListeningSocket()
        var configuration = try PostgresConfiguration(url: "postgres://postgres@127.0.0.1:\(hole.port)/postgres")
        configuration.connectTimeout = Self.neverReached
        let start = ContinuousClock.now
        let connecting = Task { [configuration] in try await PostgresConnection.connect(configuration) }
        connecting.cancel()
        #expect(try await failure { try await connecting.value }.kind == .cancelled)
        #expect(ContinuousClock.now - start < .seconds(5).patient)
        withExtendedLifetime(hole) {}
    }

    @Test func aRefusalKeepsItsSQLState() async throws {
        let configuration = try PostgresConfiguration(url: databaseURL("no_such_database"))
        let error = try await failure { try await PostgresConnection.connect(configuration) }
        #expect(error.kind == .connectFailed)
        #expect(error.sqlState == "3D000")
        #expect(error.retryability == .permanent)
    }
}

/// A socket on loopback that listens and never accepts.
final class ListeningSocket: Sendable {
    private let descriptor: Int32
    let port: Int

    init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let isReady = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, length) == 0 && listen(descriptor, 8) == 0 && getsockname(descriptor, pointer, &length) == 0
            }
        }
        try #require(isReady)
        port = Int(UInt16(bigEndian: address.sin_port))
    }

    deinit { close(descriptor) }
}
