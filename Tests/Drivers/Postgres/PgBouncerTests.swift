import Foundation
import Glibc
import PrivateServers
import Testing
import TidingsPostgres
import TidingsTestSupport

private let pgBouncer = "/usr/sbin/pgbouncer"

/// A private PgBouncer in transaction mode in front of the tests' server.
private final class Bouncer {
    let port: Int
    private let claim: PortClaim
    private let process: TestProcess
    private let folder: URL

    init() throws {
        claim = try LoopbackPort.unused()
        port = Int(claim.port)
        folder = FileManager.default.temporaryDirectory.appending(path: "tidings-pgbouncer-\(UInt64.random(in: 0 ... .max))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        let server = try #require(URLComponents(string: serverURL))
        let settings = folder.appending(path: "pgbouncer.ini")
        try """
        [databases]
        * = host=\(server.host ?? "127.0.0.1") port=\(server.port ?? 5432) user=\(server.user ?? "postgres") password=\(server.password ?? "")
        [pgbouncer]
        listen_addr = 127.0.0.1
        listen_port = \(port)
        unix_socket_dir =
        auth_type = any
        pool_mode = transaction
        default_pool_size = 2
        """.write(to: settings, atomically: true, encoding: .utf8)
        // PgBouncer refuses to run as root.
        let command = geteuid() == 0 ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] : []
        process = try TestProcess(
            ["/usr/bin/env"] + command + [pgBouncer, "-q", settings.path], environment: ProcessInfo.processInfo.environment)
    }

    deinit {
        process.signal(SIGKILL)
        try? FileManager.default.removeItem(at: folder)
    }
}

struct PgBouncerTests {
    @Test(.enabled(if: access(pgBouncer, X_OK) == 0))
    func aTransactionPoolerMayStandBetween() async throws {
        let bouncer = try Bouncer()
        let configuration = try PostgresConfiguration(url: "postgres://postgres@127.0.0.1:\(bouncer.port)/postgres")
        // The pool has more clients than the pooler has sessions. The pooler takes a moment to listen, and the pool repeats its attempts
        // for longer than that.
        let pool = PostgresPool(configuration, size: 6, name: "bounced", acquireTimeout: .seconds(10).patient)
        _ = try await pool.query("select 1")
        try await withThrowingTaskGroup { group in
            for number in 0..<60 {
                group.addTask {
                    #expect(try await pool.query("select \(number)").rows[0].decode(Int.self) == number)
                    let results = try await pool.pipeline(["select \(number)", "select \("\(number)")"])
                    #expect(try results[1].rows[0].decode(String.self) == "\(number)")
                    let inside = try await pool.transaction { connection in
                        _ = try await connection.query("create temporary table scratch (n int8) on commit drop")
                        _ = try await connection.pipeline([
                            "insert into scratch values (\(number))", "insert into scratch values (\(-number))",
                        ])
                        return try await connection.query("select sum(n)::int8, count(*) from scratch").rows[0].decode((Int, Int).self)
                    }
                    #expect(inside == (0, 2))
                }
            }
            try await group.waitForAll()
        }
        let leaked = try await pool.query("select current_setting('statement_timeout')").rows[0].decode(String.self)
        #expect(leaked == "0")
        await pool.close()
        withExtendedLifetime(bouncer) {}
    }
}
