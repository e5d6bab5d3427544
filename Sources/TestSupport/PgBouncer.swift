import Foundation
import Glibc
import PrivateServers

/// A private PgBouncer in transaction mode before the tests' PostgreSQL server, with two sessions for each database.
///
/// It takes a moment to listen after ``init(before:)``. Clients repeat their attempts for longer than that.
public final class PgBouncer: Sendable {
    private static let program = "/usr/sbin/pgbouncer"

    /// Whether the program is installed.
    public static var isInstalled: Bool { access(program, X_OK) == 0 }

    private let claim: PortClaim
    private let process: TestProcess
    private let folder: URL

    /// - Parameter serverURL: the URL of any database on the server. PgBouncer logs in with its user and password.
    public init(before serverURL: String) throws {
        guard let server = URLComponents(string: serverURL) else {
            throw TestSystemError(message: "the URL of the server cannot be read")
        }
        claim = try LoopbackPort.unused()
        folder = FileManager.default.temporaryDirectory.appending(path: "tidings-pgbouncer-\(UInt64.random(in: 0 ... .max))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        let settings = folder.appending(path: "pgbouncer.ini")
        try """
        [databases]
        * = host=\(server.host ?? "127.0.0.1") port=\(server.port ?? 5432) user=\(server.user ?? "postgres") password=\(server.password ?? "")
        [pgbouncer]
        listen_addr = 127.0.0.1
        listen_port = \(claim.port)
        unix_socket_dir =
        auth_type = any
        pool_mode = transaction
        default_pool_size = 2
        """.write(to: settings, atomically: true, encoding: .utf8)
        // PgBouncer refuses to run as root.
        let command = geteuid() == 0 ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] : []
        process = try TestProcess(
            ["/usr/bin/env"] + command + [Self.program, "-q", settings.path], environment: ProcessInfo.processInfo.environment)
    }

    deinit {
        process.signal(SIGKILL)
        try? FileManager.default.removeItem(at: folder)
    }

    /// The URL of a database through the pooler.
    public func url(of database: String) -> String { "postgres://postgres@127.0.0.1:\(claim.port)/\(database)" }

    /// The same database as the URL's, through the pooler.
    public func url(insteadOf databaseURL: String) -> String {
        url(of: URLComponents(string: databaseURL)?.path.split(separator: "/").last.map(String.init) ?? "postgres")
    }
}
