public import Foundation
import Synchronization

/// A process of the binary under test, with its output collected.
public final class TestProcess: Sendable {
    /// What a finished command left behind.
    public struct Result: Sendable {
        public let exitCode: Int32
        public let output: String
        public let errors: String
    }

    // Foundation's Process may be used from any thread once it runs, but is not declared so.
    private nonisolated(unsafe) let process = Process()
    private let output = Collector()
    private let errors = Collector()
    private let ended = AsyncStream.makeStream(of: Void.self)

    /// Starts `arguments[0]`, a path, with exactly this environment.
    public init(_ arguments: [String], environment: [String: String], directory: String? = nil) throws {
        process.executableURL = URL(fileURLWithPath: arguments[0])
        process.arguments = Array(arguments.dropFirst())
        process.environment = environment
        if let directory { process.currentDirectoryURL = URL(fileURLWithPath: directory) }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output.pipe
        process.standardError = errors.pipe
        let continuation = ended.continuation
        process.terminationHandler = { _ in continuation.finish() }
        try process.run()
        output.begin()
        errors.begin()
    }

    public var processID: Int32 { process.processIdentifier }
    public var isRunning: Bool { process.isRunning }
    public var outputSoFar: String { output.text }
    public var errorsSoFar: String { errors.text }

    /// Sends a signal, such as SIGTERM or SIGKILL.
    public func signal(_ number: Int32) { _ = kill(process.processIdentifier, number) }

    /// Waits for the end.
    public func finish() async -> Result {
        for await _ in ended.stream {}
        await output.drain()
        await errors.drain()
        return Result(exitCode: process.terminationStatus, output: output.text, errors: errors.text)
    }

    /// Everything one pipe delivers.
    private final class Collector: Sendable {
        let pipe = Pipe()
        private let bytes = Mutex(Data())
        private let done = AsyncStream.makeStream(of: Void.self)

        var text: String { bytes.withLock { String(decoding: $0, as: UTF8.self) } }

        func begin() {
            pipe.fileHandleForReading.readabilityHandler = { [self] handle in
                let more = handle.availableData
                if more.isEmpty {
                    handle.readabilityHandler = nil
                    done.continuation.finish()
                } else {
                    bytes.withLock { $0.append(more) }
                }
            }
        }

        func drain() async { for await _ in done.stream {} }
    }
}
