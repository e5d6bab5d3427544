import Glibc

/// Where the private servers of one home keep what they own. Pure paths: nothing is made or checked here.
public struct ServersLayout: Sendable, Equatable {
    /// The home, absolute, with symbolic links resolved when it exists.
    public let home: String

    /// `KEY=value` lines a shell can source: `TIDINGS_AMQP_URL`, `TIDINGS_DATABASE_URL`, and `PGHOST`, `PGPORT`, `PGUSER`, `PGPASSWORD`,
    /// `PGDATABASE` for `psql`. Exists, readable by its owner only, exactly while the servers answer.
    public var environmentFile: String { "\(home)/env" }

    /// Held with `flock` by the owner of the running servers; holds its process id for people.
    public var lockFile: String { "\(home)/lock" }

    /// `postgresql.log` and `rabbitmq.log` of the last start.
    public var logFolder: String { "\(home)/log" }

    /// RabbitMQ's data, settings, cookie and password.
    public var brokerFolder: String { "\(home)/rabbitmq" }

    /// PostgreSQL's data and password, or a symbolic link to ``outsideDatabaseFolder``.
    public var databaseFolder: String { "\(home)/postgresql" }

    /// Where PostgreSQL's data goes when we are root and user postgres may not enter the home, as in a clone under `/root`. The
    /// name is made from the path of the home, so that two checkouts never share it.
    public var outsideDatabaseFolder: String { "/var/lib/tidings-dev-\(String(Self.hash(home), radix: 16))" }

    /// - Parameter home: relative to the working directory, or absolute.
    public init(home: String) {
        if let resolved = Self.resolved(home) {
            self.home = resolved
        } else if home.hasPrefix("/") {
            self.home = home
        } else {
            self.home = "\(Self.resolved(".") ?? ".")/\(home)"
        }
    }

    private static func resolved(_ path: String) -> String? {
        guard let text = realpath(path, nil) else { return nil }
        defer { free(text) }
        return String(cString: text)
    }

    /// FNV-1a, 64 bits: the same on every run and machine, which `Hasher` is not.
    private static func hash(_ text: String) -> UInt64 {
        text.utf8.reduce(0xcbf2_9ce4_8422_2325) { hash, byte in (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    }
}
