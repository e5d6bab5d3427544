import Glibc

/// Running processes of this home whose owner was killed.
///
/// Processes are recognised by their properties, never by a stored number, which may belong to another process by now. RabbitMQ's processes
/// have the home in their environment. PostgreSQL's processes run `postgres` with this home's data as working directory.
struct Leftovers: Sendable {
    private let environmentMark: [UInt8]
    private let dataFolders: Set<String>

    init(_ layout: ServersLayout) {
        environmentMark = Array("\(BrokerSettings.homeVariable)=\(layout.home)".utf8)
        dataFolders = ["\(layout.databaseFolder)/data", "\(layout.outsideDatabaseFolder)/data"]
    }

    /// Ends all of them and returns when none is left. The processes get `patience` to end by themselves, then a signal to stop, then
    /// `SIGKILL`.
    /// - Throws: ``PrivateServersError/didNotStop(processIDs:)``
    func end(patience: Duration) throws(PrivateServersError) {
        if areGone(within: patience) { return }
        // For PostgreSQL an immediate shutdown: the server recovers from its log, and no client of its sessions is left.
        for process in running() {
            kill(process.processID, process.isPostgres ? SIGQUIT : SIGTERM)
            kill(process.processID, SIGCONT)  // a stopped process handles no signals
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

    /// Returns all leftovers that run now. Processes of other users cannot be read and are never leftovers, unless this process is root and
    /// can read them.
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
        // " (deleted)" is added if the package is upgraded while the server runs.
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

    /// Polls until no leftover runs. These processes are not children of this process, so their end sends no signal.
    private func areGone(within limit: Duration) -> Bool {
        let deadline = ContinuousClock.now + limit
        while !running().isEmpty {
            if ContinuousClock.now >= deadline { return false }
            usleep(Self.intervalMicroseconds)
        }
        return true
    }

    /// The time that both servers need to shut down on the kernel's signal, right after their owner was killed.
    static let ownShutdownTime = Duration.seconds(5)
    private static let requestLimit = Duration.seconds(10)
    private static let killLimit = Duration.seconds(10)
    private static let intervalMicroseconds: UInt32 = 50_000
    /// The environment of this home's processes is about 2 KiB. Longer environments belong to other processes.
    private static let environmentLimitBytes = 16 << 10
}
