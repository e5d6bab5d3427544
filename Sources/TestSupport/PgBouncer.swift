import Foundation
import Glibc
import PrivateServers
import Synchronization

/// A private PgBouncer in transaction mode before the tests' PostgreSQL server, with two sessions for each database unless a test asks for
/// more.
///
/// It takes a moment to listen after ``init(before:)``. Clients repeat their attempts for longer than that.
public final class PgBouncer: Sendable {
    private static let program = "/usr/sbin/pgbouncer"

    /// Whether the program is installed.
    public static var isInstalled: Bool { access(program, X_OK) == 0 }

    private let claim: PortClaim
    private let folder: URL
    private let server: Mutex<URLComponents>
    private let process: Mutex<TestProcess>

    /// - Parameters:
    ///   - serverURL: the URL of any database on the server. PgBouncer logs in with its user and password.
    ///   - sessions: the most sessions of each database.
    public init(before serverURL: String, sessions: Int = 2) throws {
        guard let server = URLComponents(string: serverURL) else {
            throw TestSystemError(message: "the URL of the server cannot be read")
        }
        self.server = Mutex(server)
        claim = try LoopbackPort.unused()
        folder = FileManager.default.temporaryDirectory.appending(path: "tidings-pgbouncer-\(UInt64.random(in: 0 ... .max))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        let settings = folder.appending(path: "pgbouncer.ini")
        try Self.settings(server, port: claim.port, sessions: sessions).write(to: settings, atomically: true, encoding: .utf8)
        process = Mutex(try Self.launch(settings))
    }

    /// Kills PgBouncer, and with it every session.
    public func kill() async {
        let killed = process.withLock { $0 }
        killed.signal(SIGKILL)
        _ = await killed.finish()
    }

    /// Starts PgBouncer again, on the same port, after ``kill()``.
    public func start() throws {
        let started = try Self.launch(folder.appending(path: "pgbouncer.ini"))
        process.withLock { $0 = started }
    }

    /// Runs a command of the console, such as `PAUSE`. Returns when PgBouncer has carried it out.
    public func command(_ text: String) async throws {
        let console = url(of: "pgbouncer")
        let result = try await TestProcess(
            ["/usr/bin/env", "psql", "-X", "-q", "-c", text, console], environment: ProcessInfo.processInfo.environment
        ).finish()
        guard result.exitCode == 0 else { throw TestSystemError(message: "pgbouncer, \(text): \(result.errors)") }
    }

    /// Changes the most sessions of each database, by a reload.
    public func set(sessions: Int) async throws {
        try Self.settings(server.withLock { $0 }, port: claim.port, sessions: sessions)
            .write(to: folder.appending(path: "pgbouncer.ini"), atomically: true, encoding: .utf8)
        try await command("RELOAD")
    }

    /// Changes the server, and the most sessions of each database, by a reload.
    public func set(serverURL: String, sessions: Int) async throws {
        guard let server = URLComponents(string: serverURL) else {
            throw TestSystemError(message: "the URL of the server cannot be read")
        }
        self.server.withLock { $0 = server }
        try await set(sessions: sessions)
    }

    private static func settings(_ server: URLComponents, port: UInt16, sessions: Int) -> String {
        """
        [databases]
        * = host=\(server.host ?? "127.0.0.1") port=\(server.port ?? 5432) user=\(server.user ?? "postgres") password=\(server.password ?? "")
        [pgbouncer]
        listen_addr = 127.0.0.1
        listen_port = \(port)
        unix_socket_dir =
        auth_type = any
        admin_users = postgres
        pool_mode = transaction
        default_pool_size = \(sessions)
        """
    }

    private static func launch(_ settings: URL) throws -> TestProcess {
        // PgBouncer refuses to run as root.
        let command = geteuid() == 0 ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] : []
        return try TestProcess(
            ["/usr/bin/env"] + command + [program, "-q", settings.path], environment: ProcessInfo.processInfo.environment)
    }

    deinit {
        process.withLock { $0.signal(SIGKILL) }
        try? FileManager.default.removeItem(at: folder)
    }

    /// The URL of a database through the pooler.
    public func url(of database: String) -> String { "postgres://postgres@127.0.0.1:\(claim.port)/\(database)" }

    /// The same database as the URL's, through the pooler.
    public func url(insteadOf databaseURL: String) -> String {
        url(of: URLComponents(string: databaseURL)?.path.split(separator: "/").last.map(String.init) ?? "postgres")
    }
}
