internal import CLibpq

/// Where the database is, who connects, and how long anything may take.
///
/// What the URL leaves out, libpq takes from its environment variables (`PGHOST`, `PGSSLROOTCERT` …) and from the password file
/// (`PGPASSFILE`), so the password need not be in the URL. Over anything but a loopback address ask for
/// `?sslmode=verify-full&sslrootcert=…`: libpq's default, `prefer`, accepts any server and falls back to plain text.
public struct PostgresConfiguration: Sendable {
    /// For a connection to be ready, name resolution included. libpq's own `connect_timeout` has no effect here.
    public var connectTimeout: Duration = .seconds(10)
    /// For one statement. In the pool's transactions the server is told it; everywhere else the client gives up by itself
    /// (``answerGrace`` later), and a `statement_timeout` set on the database role makes the server stop working on it too.
    public var statementTimeout: Duration = .seconds(30)
    /// How long a session that listens may hear nothing before it asks whether the server is there. With
    /// ``PostgresConnection/heartbeatTimeout``, the time in which a listener notices that its server is gone without a word.
    public var listenerHeartbeat: Duration = .seconds(10)
    /// Whether a session that cannot write is refused when it is opened: of several hosts the standbys are passed over. The URL's
    /// `target_session_attrs`, if there is one, has the last word.
    public var needsWritableSession = false
    /// The name in `pg_stat_activity`, unless the URL has one.
    public var applicationName: String

    /// How much longer than ``statementTimeout`` a client waits, so that the server's own answer (57014) usually comes first and the
    /// connection stays usable.
    public static let answerGrace: Duration = .seconds(2)

    let url: String
    /// Shared by all sessions of this configuration and its copies.
    let naming = StatementNaming()
    private let summary: String

    /// Reads `postgres://user:password@host:port/database?parameter=value…` with the parameters of libpq 15, several hosts allowed.
    ///
    /// Throws `.configuration` for anything libpq cannot read. The error does not repeat the URL, which may hold a password.
    public init(url: String, applicationName: String = "tidings") throws(PostgresError) {
        guard url.hasPrefix("postgres://") || url.hasPrefix("postgresql://"), !url.utf8.contains(0),
            let options = unsafe PQconninfoParse(url, nil)
        else {
            throw PostgresError(.configuration, message: "the database URL cannot be read, expected postgres://user@host:port/database")
        }
        defer { unsafe PQconninfoFree(options) }
        self.url = url
        self.applicationName = applicationName
        summary = unsafe Self.summary(of: options)
    }

    /// The URL again without its password and parameters other than sslmode.
    private static func summary(of options: UnsafeMutablePointer<PQconninfoOption>) -> String {
        var values: [String: String] = [:]
        var option = unsafe options
        while let keyword = unsafe option.pointee.keyword {
            if let value = unsafe option.pointee.val { unsafe values[String(cString: keyword)] = unsafe String(cString: value) }
            unsafe option += 1
        }
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
