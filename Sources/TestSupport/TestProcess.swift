import Foundation
import Glibc
import Synchronization
import TidingsWaiting

/// A process of the binary under test, with its output in files.
///
/// Foundation's `Process` with pipes is not used. With many processes started at once, it lost the end of one, and a test waited for ever.
public final class TestProcess: Sendable {
    /// The result of a finished command.
    public struct Result: Sendable {
        /// The exit code, or the number of the signal that killed the process.
        public let exitCode: Int32
        public let output: String
        public let errors: String
    }

    public let processID: Int32
    private let outputFile: String
    private let errorsFile: String
    private let ended = OneShot<Int32>()
    /// Held while a signal is sent, and while the process is reaped.
    private let running = Mutex(true)

    /// Starts `arguments[0]`, which is a path, with exactly this environment.
    public init(_ arguments: [String], environment: [String: String], directory: String? = nil) throws {
        let name = FileManager.default.temporaryDirectory.appendingPathComponent("tidings-test-\(UUID().uuidString)").path
        (outputFile, errorsFile) = (name + ".out", name + ".err")
        processID = try Self.spawn(arguments, environment, directory, output: outputFile, errors: errorsFile)
        // Use a separate thread: no other part of this process may wait for the child.
        Thread.detachNewThread { self.reap() }
    }

    deinit {
        unlink(outputFile)
        unlink(errorsFile)
    }

    public var isRunning: Bool { running.withLock { $0 } }
    public var outputSoFar: String { Self.text(of: outputFile) }
    public var errorsSoFar: String { Self.text(of: errorsFile) }

    /// Sends a signal, such as SIGTERM or SIGKILL, unless the process has ended. After that, its number may belong to another process.
    public func signal(_ number: Int32) {
        running.withLock { if $0 { _ = kill(processID, number) } }
    }

    /// Waits for the end and returns the result.
    public func finish() async -> Result {
        let exitCode = await ended.value()
        return Result(exitCode: exitCode, output: outputSoFar, errors: errorsSoFar)
    }

    private func reap() {
        var information = siginfo_t()
        // Wait without reaping: the number then belongs to the child until `running` is false.
        while waitid(P_PID, id_t(processID), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        let exitCode = running.withLock { running -> Int32 in
            var status: Int32 = 0
            while waitpid(processID, &status, 0) < 0, errno == EINTR {}
            running = false
            return status & 0x7f == 0 ? (status >> 8) & 0xff : status & 0x7f
        }
        ended.set(exitCode)
    }

    private static func text(of file: String) -> String {
        String(decoding: FileManager.default.contents(atPath: file) ?? Data(), as: UTF8.self)
    }

    private static func spawn(
        _ arguments: [String], _ environment: [String: String], _ directory: String?, output: String, errors: String
    ) throws -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        for file in inheritableFiles() { posix_spawn_file_actions_addclose(&actions, file) }
        // Threads of this process block signals for themselves. A child that inherits this could not be stopped.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF))
        // `env` changes to the folder and then becomes the program.
        let command = directory.map { ["/usr/bin/env", "-C", $0] + arguments } ?? arguments
        let argv = command.map { strdup($0) } + [nil]
        let envp = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for pointer in argv + envp { free(pointer) } }
        var processID: pid_t = 0
        let code = posix_spawn(&processID, command[0], &actions, &attributes, argv, envp)
        guard code == 0 else { throw TestSystemError(message: "cannot start \(arguments[0]): \(String(cString: strerror(code)))") }
        return processID
    }

    /// Returns the descriptors that a child would inherit and keep open, such as the tests' connections.
    package static func inheritableFiles() -> [Int32] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return names.compactMap { Int32($0) }.filter { file in
            guard file > STDERR_FILENO else { return false }
            let flags = fcntl(file, F_GETFD)
            return flags >= 0 && flags & FD_CLOEXEC == 0
        }
    }
}
