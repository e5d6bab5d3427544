import Glibc
import Synchronization

/// A running child of this process. A thread of its own starts the child, waits for its end and reaps it. So nothing polls, and no zombie
/// stays.
///
/// The thread lives exactly as long as the child. The kernel's "signal me when my parent dies" depends on that.
final class ChildProcess: Sendable {
    let processID: pid_t
    private let isReaped = Mutex(false)
    private let ended = Latch<Int32>()

    private init(processID: pid_t) {
        self.processID = processID
    }

    /// Starts `command`. Its standard output and error go to the file `log`, which is emptied first.
    static func start(_ command: ChildCommand, log: String) throws(PrivateServersError) -> ChildProcess {
        let file = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .cannotUse(path: log, reason: errorText(errno)) }
        defer { close(file) }
        return try start(command, output: file, errors: file)
    }

    /// Starts `command` with these descriptors. The child gets copies.
    static func start(_ command: ChildCommand, output: CInt, errors: CInt) throws(PrivateServersError) -> ChildProcess {
        let started = Latch<Result<ChildProcess, PrivateServersError>>()
        try OwnThread.begin(detached: {
            do throws(PrivateServersError) {
                let child = ChildProcess(processID: try command.spawn(output: output, errors: errors))
                started.set(.success(child))
                child.reap()
            } catch {
                started.set(.failure(error))
            }
        })
        return try started.wait().get()
    }

    /// Sends a signal, unless the child has ended. After that, its number may belong to another process.
    func signal(_ number: CInt) {
        isReaped.withLock { isReaped in
            if !isReaped { kill(processID, number) }
        }
    }

    /// Freezes the child. Returns when the child's last thread stands still, or when the child has ended.
    func freeze() {
        signal(SIGSTOP)
        var information = siginfo_t()
        while waitid(P_PID, id_t(processID), &information, WSTOPPED | WEXITED | WNOWAIT) != 0, errno == EINTR {}
    }

    /// Returns the exit status, or 128 + the signal number if a signal killed the child. Returns `nil` if the child has not ended in time.
    func exit(within limit: Duration) -> Int32? {
        ended.wait(for: limit)
    }

    /// Sends `signal`, and `SIGKILL` after `patience`. Returns when the child has ended.
    func end(with number: CInt, patience: Duration) {
        signal(number)
        signal(SIGCONT)  // a stopped process handles no signals
        if exit(within: patience) != nil { return }
        signal(SIGKILL)
        _ = ended.wait()
    }

    private func reap() {
        Spawn.end(of: processID)
        let end = isReaped.withLock { isReaped in
            isReaped = true
            return Spawn.reap(processID)
        }
        switch end {
        case .exited(let status): ended.set(status)
        case .killed(let number): ended.set(128 + number)
        }
    }
}
