import Glibc
import Synchronization

/// The right to run servers in one home. The lock is held until it is released or until this process ends. The kernel releases the lock
/// however the process ends.
final class HomeLock: Sendable {
    private let file: Mutex<CInt?>

    /// - Throws: ``PrivateServersError/homeInUse(home:processID:)`` if another process holds the lock.
    init(_ layout: ServersLayout) throws(PrivateServersError) {
        let file = open(layout.lockFile, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .cannotUse(path: layout.lockFile, reason: errorText(errno)) }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            close(file)
            guard code == EWOULDBLOCK else { throw .cannotUse(path: layout.lockFile, reason: errorText(code)) }
            throw .homeInUse(home: layout.home, processID: PrivateFile.read(layout.lockFile).flatMap { Int32($0) })
        }
        // The number is for people only. The lock decides whether the home is free, never this number.
        let text = Array("\(getpid())\n".utf8)
        guard ftruncate(file, 0) == 0, pwrite(file, text, text.count, 0) == text.count else {
            let code = errno
            close(file)
            throw .cannotUse(path: layout.lockFile, reason: errorText(code))
        }
        self.file = Mutex(file)
    }

    deinit { release() }

    var isHeld: Bool { file.withLock { $0 != nil } }

    /// Releases the lock. The file stays: deleting it could take it from a process that has just locked it.
    func release() {
        file.withLock { file in
            if let open = file {
                // Unlock before closing: a child that is being started has a copy of the descriptor until the child runs its program.
                flock(open, LOCK_UN)
                close(open)
            }
            file = nil
        }
    }
}
