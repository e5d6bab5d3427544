internal import CLibpq

/// The address of the database, the user, and the time limits.
///
/// libpq takes missing parts of the URL from its environment variables (`PGHOST`, `PGSSLROOTCERT` …) and from the password file
/// (`PGPASSFILE`). The password can therefore stay out of the URL. Unless the host is a loopback address, set
/// `?sslmode=verify-full&sslrootcert=…`: libpq's default, `prefer`, accepts any server and falls back to plain text.
public struct PostgresConfiguration: Sendable {
    /// The time limit for opening a connection, name resolution included. If the URL names several hosts, each gets an equal part of the
    /// time that is left. libpq's own `connect_timeout` has no effect here.
    public var connectTimeout: Duration = .seconds(10)
    /// The time limit for one statement. In the pool's transactions, the server gets this limit. Everywhere else, only the client stops
    /// waiting, ``answerGrace`` later. There, a `statement_timeout` of the database role makes the server stop its work too.
    public var statementTimeout: Duration = .seconds(30)
    /// Whether opening refuses a session that cannot write. With several hosts, standbys are then skipped. A `target_session_attrs` in the
    /// URL overrides this setting.
    public var needsWritableSession = false
    /// Judges the server of each new session. Nil: every server is taken.
    public var admission: (any SessionAdmission)?
    /// Describes statements instead of running them. Nil outside of tests.
    package var probe: StatementProbe?
    /// The application name in `pg_stat_activity`, unless the URL has one.
    public var applicationName: String

    /// The places of the servers as the URL names them: host names, addresses, or folders of sockets. Empty if the URL names none.
    public let places: [String]
    /// The `sslmode` of the URL. Nil if it has none.
    public let sslMode: String?

    /// The time that a client waits longer than ``statementTimeout``. The server's own error (57014) then usually comes first, and the
    /// connection stays usable.
    public static let answerGrace: Duration = .seconds(2)

    let url: String
    /// The naming switch that all sessions of this configuration and its copies share.
    let naming = StatementNaming()
    /// The hosts of the URL, which all sessions of this configuration and its copies share.
    let hosts: HostOrder
    private let summary: String
    /// The `target_session_attrs` of the URL.
    private let wantedSession: String?

    /// Reads `postgres://user:password@host:port/database?parameter=value…`, with the parameters of libpq 15. Several hosts are allowed.
    ///
    /// Throws `.configuration` for a URL that libpq cannot read. The error does not repeat the URL, which may hold a password.
    public init(url: String, applicationName: String = "tidings") throws(PostgresError) {
        guard url.hasPrefix("postgres://") || url.hasPrefix("postgresql://"), !url.utf8.contains(0),
            let options = unsafe PQconninfoParse(url, nil)
        else {
            throw PostgresError(.configuration, message: "the database URL cannot be read, expected postgres://user@host:port/database")
        }
        defer { unsafe PQconninfoFree(options) }
        self.url = url
        self.applicationName = applicationName
        let values = unsafe Self.values(of: options)
        summary = Self.summary(of: values)
        wantedSession = values["target_session_attrs"]
        // An address takes the place of a name. libpq then only checks the name.
        places = (values["hostaddr"] ?? values["host"] ?? "").split(separator: ",").map(String.init)
        sslMode = values["sslmode"]
        // To prefer a standby, libpq passes over the list twice.
        hosts = HostOrder(
            host: values["host"], address: values["hostaddr"], port: values["port"], isForLibpq: wantedSession == "prefer-standby")
    }

    /// Whether a session that cannot write must be left for another one.
    var leavesReadOnlySessions: Bool { wantedSession.map { $0 == "read-write" } ?? needsWritableSession }

    private static func values(of options: UnsafeMutablePointer<PQconninfoOption>) -> [String: String] {
        var values: [String: String] = [:]
        var option = unsafe options
        while let keyword = unsafe option.pointee.keyword {
            if let value = unsafe option.pointee.val { unsafe values[String(cString: keyword)] = unsafe String(cString: value) }
            unsafe option += 1
        }
        return values
    }

    /// The URL without its password, and without parameters except sslmode.
    private static func summary(of values: [String: String]) -> String {
        var text = "postgres://"
        if let user = values["user"] { text += "\(user)@" }
        text += values["host"] ?? values["hostaddr"] ?? ""
        if let port = values["port"] { text += ":\(port)" }
        text += "/\(values["dbname"] ?? "")"
        if let mode = values["sslmode"] { text += "?sslmode=\(mode)" }
        return text
    }
}

extension PostgresConfiguration: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The URL without its password.
    public var description: String { summary }
    public var debugDescription: String { summary }
    /// Only the masked URL, so that `dump` does not show the password either.
    public var customMirror: Mirror { Mirror(self, children: ["url": summary]) }
}
