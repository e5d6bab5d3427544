import Glibc
import Synchronization

/// The right to run servers in one home, held until released or until this process ends, however it ends: the kernel lets go of it.
final class HomeLock: Sendable {
    private let file: Mutex<CInt?>

    /// - Throws: ``PrivateServersError/homeInUse(home:processID:)`` when somebody else holds it.
    init(_ layout: ServersLayout) throws(PrivateServersError) {
        let file = open(layout.lockFile, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .cannotUse(path: layout.lockFile, reason: errorText(errno)) }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            close(file)
            guard code == EWOULDBLOCK else { throw .cannotUse(path: layout.lockFile, reason: errorText(code)) }
            throw .homeInUse(home: layout.home, processID: PrivateFile.read(layout.lockFile).flatMap { Int32($0) })
        }
        // For people only: whether the home is free is decided by the lock, never by this number.
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

    /// Lets the next owner in. The file stays: removing it could take it from under somebody who has just locked it.
    func release() {
        file.withLock { file in
            if let open = file {
                // Not by closing alone: a child that is being started at this moment has a copy until it runs its program.
                flock(open, LOCK_UN)
                close(open)
            }
            file = nil
        }
    }
}
