import Glibc

/// Processes of this home that nobody waits for any more: their owner was killed. They are recognised by what they are, never by a
/// stored number, which may belong to a stranger by now: RabbitMQ's by the home in their environment, PostgreSQL's by being
/// `postgres` with our data as working directory.
struct Leftovers: Sendable {
    private let environmentMark: [UInt8]
    private let dataFolders: Set<String>

    init(_ layout: ServersLayout) {
        environmentMark = Array("\(BrokerSettings.homeVariable)=\(layout.home)".utf8)
        dataFolders = ["\(layout.databaseFolder)/data", "\(layout.outsideDatabaseFolder)/data"]
    }

    /// Ends them all and returns when they are gone: they get `patience` to end by themselves, then a request, then `SIGKILL`.
    /// - Throws: ``PrivateServersError/didNotStop(processIDs:)``
    func end(patience: Duration) throws(PrivateServersError) {
        if areGone(within: patience) { return }
        // For PostgreSQL an immediate shutdown: it recovers from its log, and nobody is left to wait for its sessions.
        for process in running() {
            kill(process.processID, process.isPostgres ? SIGQUIT : SIGTERM)
            kill(process.processID, SIGCONT)  // a stopped process handles nothing
        }
        if areGone(within: Self.requestLimit) { return }
        for process in running() { kill(process.processID, SIGKILL) }
        if areGone(within: Self.killLimit) { return }
        throw .didNotStop(processIDs: running().map(\.processID))
    }

    struct Leftover: Sendable, Equatable {
        let processID: pid_t
        let isPostgres: Bool
    }

    /// All there are now. Processes of other users cannot be read and are never ours, unless we are root and can.
    func running() -> [Leftover] {
        let names = (try? Folder.names(in: "/proc")) ?? []
        return names.compactMap { name in
            guard let processID = pid_t(name), processID != getpid() else { return nil }
            if isOurPostgres(processID) { return Leftover(processID: processID, isPostgres: true) }
            if isOurBroker(processID) { return Leftover(processID: processID, isPostgres: false) }
            return nil
        }
    }

    private func isOurPostgres(_ processID: pid_t) -> Bool {
        guard let folder = Folder.target(ofLink: "/proc/\(processID)/cwd"), dataFolders.contains(folder),
            let program = Folder.target(ofLink: "/proc/\(processID)/exe")
        else { return false }
        // An upgrade of the package under a running server adds " (deleted)".
        return program.hasSuffix("/postgres") || program.hasSuffix("/postgres (deleted)")
    }

    private func isOurBroker(_ processID: pid_t) -> Bool {
        let file = open("/proc/\(processID)/environ", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: Self.environmentLimitBytes)
        let count = read(file, &bytes, bytes.count)
        return bytes.prefix(max(0, count)).split(separator: 0).contains { $0.elementsEqual(environmentMark) }
    }

    /// Processes that are no children of ours signal nothing when they end, so they are looked for again and again.
    private func areGone(within limit: Duration) -> Bool {
        let deadline = ContinuousClock.now + limit
        while !running().isEmpty {
            if ContinuousClock.now >= deadline { return false }
            usleep(Self.intervalMicroseconds)
        }
        return true
    }

    /// What a shutdown that the kernel asked for takes, when the owner has just been killed.
    static let ownShutdownTime = Duration.seconds(5)
    private static let requestLimit = Duration.seconds(10)
    private static let killLimit = Duration.seconds(10)
    private static let intervalMicroseconds: UInt32 = 50_000
    /// Our own children's environment is about 2 KiB; that of anybody else's process does not matter beyond this.
    private static let environmentLimitBytes = 16 << 10
}
