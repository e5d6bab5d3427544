import Foundation
import Glibc
import PrivateServers
import Synchronization
import TidingsTestSupport

/// Shell commands that undo a change of the machine. They run when this process ends, for whatever reason, or earlier by ``carryOut()``.
///
/// A shell in a session of its own reads a pipe whose other end only this process has. The kernel closes that end with this process, after
/// SIGKILL too. Signals of the terminal do not reach the shell.
final class LastWill: Sendable {
    private static let shell = "/bin/sh"

    private let processID: Int32
    private let pipe: Mutex<Int32?>

    /// - Parameter commands: must do nothing if the change was not made, or was undone before.
    init(_ commands: String) throws {
        var ends: [Int32] = [-1, -1]
        // Children of this process inherit neither end, because ``Spawn`` closes everything but the standard descriptors.
        guard Glibc.pipe(&ends) == 0 else { throw TestSystemError(message: "no pipe: \(String(cString: strerror(errno)))") }
        defer { close(ends[0]) }
        let nothing = open("/dev/null", O_WRONLY | O_CLOEXEC)
        defer { close(nothing) }
        processID = try Spawn.start(
            [Self.shell, "-c", "cat >/dev/null\n\(commands)"], as: Self.shell, environment: ProcessInfo.processInfo.environment,
            input: ends[0], output: nothing, errors: nothing, isInNewSession: true)
        pipe = Mutex(ends[1])
    }

    deinit { closePipe() }

    /// Runs the commands now. Returns when they have run.
    func carryOut() async {
        guard closePipe() else { return }
        await withCheckedContinuation { continuation in
            // Use a separate thread: waiting for a child blocks.
            Thread.detachNewThread { [processID] in
                Spawn.end(of: processID)
                _ = Spawn.reap(processID)
                continuation.resume()
            }
        }
    }

    /// Returns false if the pipe was closed before.
    @discardableResult
    private func closePipe() -> Bool {
        pipe.withLock { pipe in
            guard let open = pipe else { return false }
            close(open)
            pipe = nil
            return true
        }
    }
}
