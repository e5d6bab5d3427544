import Foundation
import Glibc
import PrivateServers
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

    /// Waits until the output or the errors match. Returns false if the process ends before, or after `limit` for
    /// the speed of this machine.
    public func says(_ text: some RegexComponent, within limit: Duration = .seconds(30)) async throws -> Bool {
        try await prints(within: limit) { $0.contains(text) }
    }

    /// Waits until the output or the errors have the text, as ``says(_:within:)``.
    public func says(_ text: String, within limit: Duration = .seconds(30)) async throws -> Bool {
        try await prints(within: limit) { $0.contains(text) }
    }

    /// Waits until the output or the errors satisfy the condition, as ``says(_:within:)``. A process that prints thousands of lines is read
    /// as often, so look at the lines of such a process in another way.
    public func prints(within limit: Duration = .seconds(30), _ condition: (String) -> Bool) async throws -> Bool {
        let deadline = ContinuousClock.now + limit.patient
        while true {
            try Task.checkCancellation()
            let growth = try [outputFile, errorsFile].map(FileGrowth.shared.next(of:))
            let isOver = !isRunning || ContinuousClock.now >= deadline
            if condition(outputSoFar) || condition(errorsSoFar) { return true }
            if isOver { return false }
            await change(growth, until: deadline)
        }
    }

    /// Waits for the first of the signals, for the end of the process, or for the deadline.
    private func change(_ growth: [OneShot<Void>], until deadline: ContinuousClock.Instant) async {
        await withTaskGroup(of: Void.self) { group in
            for signal in growth { group.addTask { _ = await signal.valueUnlessCancelled() } }
            group.addTask { _ = await self.ended.valueUnlessCancelled() }
            // Time itself is awaited. Cancelled by the first of the others.
            group.addTask { try? await Task.sleep(until: deadline, clock: .continuous) }
            _ = await group.next()
            group.cancelAll()
        }
    }

    private func reap() {
        Spawn.end(of: processID)
        let exitCode: Int32 = running.withLock { running in
            running = false
            return switch Spawn.reap(processID) {
            case .exited(let status): status
            case .killed(let number): number
            }
        }
        ended.set(exitCode)
    }

    private static func text(of file: String) -> String {
        String(decoding: FileManager.default.contents(atPath: file) ?? Data(), as: UTF8.self)
    }

    private static func spawn(
        _ arguments: [String], _ environment: [String: String], _ directory: String?, output: String, errors: String
    ) throws -> Int32 {
        let output = try open(output)
        defer { close(output) }
        let errors = try open(errors)
        defer { close(errors) }
        // `env` changes to the folder and then becomes the program.
        let command = directory.map { ["/usr/bin/env", "-C", $0] + arguments } ?? arguments
        return try Spawn.start(command, as: arguments[0], environment: environment, output: output, errors: errors)
    }

    /// Opens a file for the output of a child. The child gets a copy of the descriptor.
    private static func open(_ path: String) throws -> Int32 {
        let file = Glibc.open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw TestSystemError(message: "cannot write \(path): \(String(cString: strerror(errno)))") }
        return file
    }
}
