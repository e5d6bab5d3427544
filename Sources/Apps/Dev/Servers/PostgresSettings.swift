import Glibc

/// Settings of a private PostgreSQL beside its defaults, which are those of a small machine. Operating.md advises the same for
/// production.
struct PostgresSettings {
    /// Where the programs of this PostgreSQL are.
    let bin: String

    /// `name=value` each, as `postgres -c` takes them.
    var all: [String] {
        [
            "listen_addresses=127.0.0.1", "unix_socket_directories=", "max_connections=\(Self.connections)", "timezone=UTC",
            "log_timezone=UTC", "shared_buffers=\(Self.sharedMegabytes(of: Self.physicalMegabytes))MB",
            "max_wal_size=\(Self.logBetweenCheckpoints)",
        ] + (hasPrewarm ? ["shared_preload_libraries=\(Self.prewarm)"] : [])
    }

    /// A quarter of the memory, within bounds.
    ///
    /// The index of idempotency keys is read and changed everywhere at once. PostgreSQL's own 128 MB are less than that of a month, and at 1 GB every
    /// second key still had a page copied in and another out. Memory is taken as pages are read, so an ordinary `tidings dev` never uses it.
    static func sharedMegabytes(of physical: Int) -> Int { min(max(physical / 4, leastShared), mostShared) }

    private static var physicalMegabytes: Int { sysconf(Int32(_SC_PHYS_PAGES)) / 1024 * sysconf(Int32(_SC_PAGESIZE)) / 1024 }

    /// PostgreSQL's library that notes what is in memory when the server stops and reads it again at the next start, so that a home with a long
    /// past is not slow after each of them. Debian has it in the server's own package; elsewhere it may be missing.
    var hasPrewarm: Bool {
        ["lib", "lib/postgresql"].contains { access("\(bin)/../\($0)/\(Self.prewarm).so", R_OK) == 0 }
    }
    private static let prewarm = "pg_prewarm"
    /// Where it notes that, in the folder of the data.
    static let prewarmNote = "autoprewarm.blocks"
    /// What it says in the log when all is read again.
    static let prewarmEnd = "autoprewarm successfully prewarmed"

    /// Enough for every test process at once; an idle connection costs about 2 MB.
    private static let connections = 200
    /// MB. PostgreSQL's own default.
    private static let leastShared = 128
    /// MB. The index of 50,000,000 keys, and read within some seconds after a start; who needs more configures a server of their own.
    private static let mostShared = 2048
    /// After each checkpoint every page is logged whole when it is first changed, and keys change pages everywhere. At PostgreSQL's own 1 GB a
    /// busy server begins a checkpoint every minute, and logs little else.
    private static let logBetweenCheckpoints = "4GB"
}
