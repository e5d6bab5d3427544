import Foundation
import Glibc
import PrivateServers
import Synchronization
import Testing
import TidingsEncodings
import TidingsJSON
import TidingsTestSupport

/// The process of `peer.py`, which answers by the Python library `cryptography`. All suites share one process.
///
/// The peer needs no stop: its input ends with the process of the tests.
final class CryptoPeer: Sendable {
    /// A failure of the peer itself. A refusal is an answer, not a failure.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The environment variable that names a Python with the library. `deploy/test` sets it.
    private static let variable = "TIDINGS_CRYPTO_PYTHON"
    private static let python = environmentText(variable)
    /// Whether the suites run. CI must not skip them: without the variable they run there and fail.
    static let isExpected = python != nil || environmentText("CI") != nil

    private static let shared: Result<CryptoPeer, any Error> = Result { try CryptoPeer() }
    private let connection: Mutex<Connection>

    // MARK: Questions

    /// Returns the bytes of the answer. Nil if the peer refuses the arguments. See `OPERATIONS` in `peer.py`.
    static func ask(_ operation: String, _ arguments: [String: [UInt8]] = [:]) async throws -> [UInt8]? {
        let peer = try shared.get()
        var request = JSONObject()
        request["operation"] = .string(operation)
        for (name, value) in arguments { request[name] = .string(Hexadecimal.encode(value)) }
        let line = JSON.object(request).serializedBytes + [UInt8(ascii: "\n")]
        let received = try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<[UInt8], any Error>) in
            // Use a separate thread: no thread of Swift's pool may wait for another process.
            Thread.detachNewThread { continuation.resume(with: Result { try peer.exchange(line) }) }
        }
        let answer = try JSON.parse(received)
        if answer["refused"] != nil { return nil }
        guard let text = answer["bytes"]?.stringValue, let bytes = Hexadecimal.decode(text) else {
            throw Failure(description: "\(operation): the peer answers \(answer.serialized)")
        }
        return bytes
    }

    /// Returns the bytes of the answer. A refusal is an error.
    static func bytes(_ operation: String, _ arguments: [String: [UInt8]] = [:]) async throws -> [UInt8] {
        guard let bytes = try await ask(operation, arguments) else {
            throw Failure(description: "\(operation): the peer refuses the arguments")
        }
        return bytes
    }

    /// Returns the text of the answer, such as a key in PEM form.
    static func text(_ operation: String, _ arguments: [String: [UInt8]] = [:]) async throws -> String {
        String(decoding: try await bytes(operation, arguments), as: UTF8.self)
    }

    /// Whether the peer accepts the arguments, such as a signature.
    static func accepts(_ operation: String, _ arguments: [String: [UInt8]]) async throws -> Bool {
        try await ask(operation, arguments) != nil
    }

    // MARK: Process

    private init() throws {
        guard let python = Self.python else {
            throw Failure(description: "\(Self.variable) is not set, but CI is: run deploy/test, which installs the library and sets it")
        }
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw Failure(description: "no socket for the peer: \(String(cString: strerror(errno)))")
        }
        connection = Mutex(Connection(descriptor: ends[0]))
        defer { close(ends[1]) }
        try Self.spawn(python, on: ends[1])
    }

    private static func spawn(_ python: String, on socket: Int32) throws {
        let program = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Peer/peer.py").path
        // Keep the variables and the packages of the user out, and write no compiled files beside the sources.
        _ = try Spawn.start(
            [python, "-E", "-s", "-B", program], as: python, environment: ["PATH": "/usr/bin:/bin"], input: socket, output: socket,
            errors: STDERR_FILENO)
    }

    private func exchange(_ line: [UInt8]) throws -> [UInt8] {
        try connection.withLock { connection in try connection.exchange(line) }
    }

    /// A blocking socket to the peer. One request has its answer before the next begins.
    private struct Connection {
        /// The longest time for one answer. RSA keys take a second at most; a busy machine gets sixty times that.
        private static let patienceMilliseconds = Int32(Patience.scaled(60_000))

        let descriptor: Int32
        private var received: [UInt8] = []
        private var isBroken = false

        init(descriptor: Int32) { self.descriptor = descriptor }

        mutating func exchange(_ line: [UInt8]) throws -> [UInt8] {
            guard !isBroken else { throw Failure(description: "the peer failed before, see the first failure") }
            // After a failure the next answer could belong to an earlier request.
            isBroken = true
            try write(line)
            let answer = try read()
            isBroken = false
            return answer
        }

        private func write(_ line: [UInt8]) throws {
            var sent = 0
            while sent < line.count {
                let count = line.withUnsafeBytes {
                    Glibc.send(descriptor, $0.baseAddress?.advanced(by: sent), line.count - sent, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { throw Failure(description: "the peer has ended; its message is on the standard error output") }
                sent += count
            }
        }

        private mutating func read() throws -> [UInt8] {
            var chunk = [UInt8](repeating: 0, count: 16 << 10)
            while true {
                if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
                    let line = Array(received[..<end])
                    received.removeSubrange(...end)
                    return line
                }
                var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                guard poll(&poller, 1, Self.patienceMilliseconds) == 1 else {
                    throw Failure(description: "the peer does not answer within \(Self.patienceMilliseconds) ms")
                }
                let count = recv(descriptor, &chunk, chunk.count, 0)
                guard count > 0 else { throw Failure(description: "the peer has ended; its message is on the standard error output") }
                received += chunk.prefix(count)
            }
        }
    }
}

extension Trait where Self == ConditionTrait {
    /// The suite asks ``CryptoPeer``.
    static var needsCryptoPeer: Self { .enabled(if: CryptoPeer.isExpected, "TIDINGS_CRYPTO_PYTHON is not set") }
}

/// Returns the variable of that name. Nil if it is absent or empty.
func environmentText(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
}
