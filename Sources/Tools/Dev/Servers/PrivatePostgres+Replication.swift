import Glibc
import Synchronization

/// A server as a member of a pair: a primary and its standby by streaming replication.
extension PrivatePostgres {
    /// Kills the server with all of its processes, as the loss of its machine does.
    func kill() {
        server.withLock { server in
            guard let running = server else { return }
            running.signal(SIGSTOP)  // no further process may start meanwhile
            for process in Self.children(of: running.processID) { Glibc.kill(process, SIGKILL) }
            running.end(with: SIGKILL, patience: Self.stopLimit)
            server = nil
        }
    }

    /// Copies the data of a running primary. The next start is that of a standby, which follows the primary through `port`.
    ///
    /// - Parameter name: the standby's name in `synchronous_standby_names`, which is the application name of its sessions.
    func copyData(of primary: PrivatePostgres, through port: UInt16, as name: String) throws(PrivateServersError) {
        let draft = "\(folder.dataFolder).new"
        try Folder.remove(draft)
        var copy = command(
            "pg_basebackup",
            [
                "--pgdata=\(draft)", "--write-recovery-conf", "--checkpoint=fast", "--wal-method=stream", "--no-sync", "--no-password",
                "--dbname=host=127.0.0.1 port=\(port) user=\(Self.user) application_name=\(name)",
            ])
        copy.environment["PGPASSWORD"] = primary.password
        try copy.succeed(within: Self.copyLimit)
        guard rename(draft, folder.dataFolder) == 0 else {
            throw .cannotUse(path: folder.dataFolder, reason: errorText(errno))
        }
    }

    /// Removes the data of a server that does not run, before ``copyData(of:through:as:)``.
    func removeData() throws(PrivateServersError) { try Folder.remove(folder.dataFolder) }

    /// Makes a standby the primary. Returns when it takes writes.
    func promote() throws(PrivateServersError) {
        let answer = try psql("SELECT pg_promote(true, \(Self.promotionLimitSeconds))")
        guard PrivateFile.trimmed(answer) == "t" else {
            throw .system(call: "pg_promote", reason: "no end of the recovery within \(Self.promotionLimitSeconds) s")
        }
    }

    /// Makes every commit wait for this standby. Returns when the standby is synchronous.
    func require(standby name: String) throws(PrivateServersError) {
        // ALTER SYSTEM runs alone, and psql makes one transaction of one argument. "first" is also a keyword of the setting.
        try psql("ALTER SYSTEM SET synchronous_standby_names = '\"\(name)\"'")
        try psql("SELECT pg_reload_conf()")
        try awaitStreams(1, "sync_state = 'sync'")
    }

    /// Blocks until this many standbys stream and the condition holds for each.
    func awaitStreams(_ count: Int, _ condition: String = "true") throws(PrivateServersError) {
        let deadline = ContinuousClock.now + Self.streamLimit
        while PrivateFile.trimmed(
            try psql("SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming' AND \(condition)")) != "\(count)"
        {
            guard ContinuousClock.now < deadline else {
                throw .system(call: "replication", reason: "no standby with \(condition) within \(Self.streamLimit)")
            }
            usleep(Self.pauseMicroseconds)
        }
    }

    private static func children(of process: pid_t) -> [pid_t] {
        let text = PrivateFile.read("/proc/\(process)/task/\(process)/children", limitBytes: childrenLimitBytes) ?? ""
        return text.split(separator: " ").compactMap { pid_t($0) }
    }

    /// A copy of a new database takes a second.
    private static let copyLimit = Duration.seconds(120)
    private static let promotionLimitSeconds = 60
    private static let streamLimit = Duration.seconds(60)
    /// The pause between two questions, because the server sends no signal.
    private static let pauseMicroseconds: UInt32 = 100_000
    /// In bytes: some thousand processes.
    private static let childrenLimitBytes = 65_536
}
