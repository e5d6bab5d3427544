import Glibc

/// The settings of a private PostgreSQL that differ from the defaults, which suit a small machine. Operating.md advises similar values for
/// production.
struct PostgresSettings {
    /// The folder of this PostgreSQL's programs.
    let bin: String

    /// Every setting as `name=value`, the form of `postgres -c`.
    var all: [String] {
        [
            "listen_addresses=127.0.0.1", "unix_socket_directories=", "max_connections=\(Self.connections)", "timezone=UTC",
            "log_timezone=UTC", "shared_buffers=\(Self.sharedMegabytes(of: Self.physicalMegabytes))MB",
            "max_wal_size=\(Self.logBetweenCheckpoints)",
        ] + (hasPrewarm ? ["shared_preload_libraries=\(Self.prewarm)"] : [])
    }

    /// Returns a quarter of the memory, within bounds.
    ///
    /// The index of idempotency keys is read and changed everywhere at once. PostgreSQL's default of 128 MB is less than the index of a
    /// month. At 1 GB every second key still caused one page to be read and one to be evicted. PostgreSQL takes memory as pages are read,
    /// so an ordinary `tidings dev` never uses this much.
    static func sharedMegabytes(of physical: Int) -> Int { min(max(physical / 4, leastShared), mostShared) }

    private static var physicalMegabytes: Int { sysconf(Int32(_SC_PHYS_PAGES)) / 1024 * sysconf(Int32(_SC_PAGESIZE)) / 1024 }

    /// Whether PostgreSQL's library `pg_prewarm` is installed. The library records the pages in memory when the server stops, and reads
    /// them again at the next start. Without it, a home with much data is slow after each start. Debian includes the library in the
    /// server's package; on other systems it may be missing.
    var hasPrewarm: Bool {
        ["lib", "lib/postgresql"].contains { access("\(bin)/../\($0)/\(Self.prewarm).so", R_OK) == 0 }
    }
    private static let prewarm = "pg_prewarm"
    /// The file with the record, in the folder of the data.
    static let prewarmNote = "autoprewarm.blocks"
    /// The line in the log when all recorded pages are read again.
    static let prewarmEnd = "autoprewarm successfully prewarmed"

    /// Enough for every test process at once. An idle connection costs about 2 MB.
    private static let connections = 200
    /// In MB: PostgreSQL's own default.
    private static let leastShared = 128
    /// In MB: the index of 50,000,000 keys, which is read within some seconds after a start. A larger installation needs a configured
    /// server of its own.
    private static let mostShared = 2048
    /// After each checkpoint, the first change of a page logs the whole page, and keys change pages everywhere. With PostgreSQL's default
    /// of 1 GB, a busy server begins a checkpoint every minute and logs little else.
    private static let logBetweenCheckpoints = "4GB"
}
