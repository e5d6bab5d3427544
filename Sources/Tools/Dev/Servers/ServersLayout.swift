import Glibc

/// The paths of everything that the private servers of one home own. Only paths: this type makes and checks nothing.
public struct ServersLayout: Sendable, Equatable {
    /// The home, absolute. If the home exists, symbolic links are resolved.
    public let home: String

    /// The environment file: `KEY=value` lines that a shell can source. `TIDINGS_AMQP_URL`, `TIDINGS_DATABASE_URL`, and `PGHOST`, `PGPORT`,
    /// `PGUSER`, `PGPASSWORD`, `PGDATABASE` for `psql`. The file exists from ``PrivateServers/announce(_:)`` until the servers stop. Only its
    /// owner may read it.
    public var environmentFile: String { "\(home)/env" }
    /// The names of virtual hosts that no test has used yet.
    var testHostsFile: String { "\(home)/test-hosts" }
    /// The port of a server beside the private ones. ``PrivateServers/keptPort(for:)`` keeps it.
    func portFile(of name: String) -> String { "\(home)/\(name)-port" }

    /// The file that the owner of the running servers locks with `flock`. The file contains the owner's process id, for people.
    public var lockFile: String { "\(home)/lock" }

    /// The folder of `postgresql.log` and `rabbitmq.log` of the last start.
    public var logFolder: String { "\(home)/log" }

    /// The folder of RabbitMQ's data, settings, cookie and password.
    public var brokerFolder: String { "\(home)/rabbitmq" }

    /// The folder of PostgreSQL's data and password, or a symbolic link to ``outsideDatabaseFolder``.
    public var databaseFolder: String { "\(home)/postgresql" }

    /// The folder of PostgreSQL's data if this process is root and user `postgres` may not enter the home, as in a clone under `/root`. The
    /// name is made from the path of the home, so that two checkouts never share the folder.
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

    /// FNV-1a, 64 bits. `Hasher` is unsuitable, because its result differs between runs and machines.
    private static func hash(_ text: String) -> UInt64 {
        text.utf8.reduce(0xcbf2_9ce4_8422_2325) { hash, byte in (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    }
}
