import Foundation
import Glibc
import Synchronization
import TidingsTestSupport

/// A server on a free loopback port that follows a script on every connection, byte for byte. The script can misbehave in ways that no HTTP
/// library would allow. Each connection has one thread. The events are reported in ``events``.
final class LoopbackServer: Sendable {
    enum Step: Sendable {
        /// Reads one request: a head and as many bytes as its content-length says. Ends the connection when the peer ends it.
        case readRequest
        case send(String)
        /// Sends the text again and again until the peer closes.
        case sendForever(String)
        /// Reads until the peer closes.
        case waitForPeerToClose
        /// Waits for a signal of the test.
        case hold(DispatchSemaphore)
        /// Tells the test that the steps before are done.
        case signal(DispatchSemaphore)
        /// Closes with RST instead of FIN.
        case reset
        /// Goes back to the first step.
        case again
    }

    enum Event: Sendable, Equatable {
        case connected
        case request(String)
        case disconnected
    }

    let port: UInt16
    let events: AsyncStream<Event>
    private let teller: AsyncStream<Event>.Continuation
    private let listener: SharedDescriptor
    private let counts = Mutex((connections: 0, requests: 0, open: 0, mostOpen: 0))
    private let steps: [Step]

    init(_ steps: [Step]) throws {
        self.steps = steps
        (events, teller) = AsyncStream.makeStream(of: Event.self)
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        port = try bindToLoopback(descriptor)
        guard listen(descriptor, 1_024) == 0 else { throw POSIXError(.EADDRINUSE) }
        let listener = SharedDescriptor(descriptor)
        self.listener = listener
        Thread.detachNewThread { [weak self] in
            while true {
                let connection = accept(descriptor, nil, nil)
                guard connection >= 0, let self else {
                    if connection >= 0 { Glibc.close(connection) }
                    return listener.close()
                }
                Thread.detachNewThread { self.serve(connection) }
            }
        }
    }

    deinit { listener.end() }

    var url: String { "http://127.0.0.1:\(port)/" }
    var connections: Int { counts.withLock { $0.connections } }
    var requests: Int { counts.withLock { $0.requests } }
    var mostOpen: Int { counts.withLock { $0.mostOpen } }

    /// Waits until the server has reported an event of this kind.
    func next(_ matches: (Event) -> Bool) async {
        for await event in events where matches(event) { return }
    }

    private func serve(_ connection: Int32) {
        counts.withLock {
            $0.connections += 1
            $0.open += 1
            $0.mostOpen = max($0.mostOpen, $0.open)
        }
        teller.yield(.connected)
        var index = 0
        var buffered: [UInt8] = []
        while index < steps.count, run(steps[index], on: connection, &buffered) {
            if case .again = steps[index] { index = 0 } else { index += 1 }
        }
        counts.withLock { $0.open -= 1 }
        close(connection)
        teller.yield(.disconnected)
    }

    private func run(_ step: Step, on connection: Int32, _ buffered: inout [UInt8]) -> Bool {
        switch step {
        case .readRequest:
            guard let request = readRequest(connection, &buffered) else { return false }
            counts.withLock { $0.requests += 1 }
            teller.yield(.request(request))
            return true
        case .send(let text): return write(text, to: connection)
        case .sendForever(let text):
            while write(text, to: connection) {}
            return false
        case .waitForPeerToClose:
            var byte: UInt8 = 0
            while recv(connection, &byte, 1, 0) > 0 {}
            return false
        case .hold(let go):
            go.wait()
            return true
        case .signal(let done):
            done.signal()
            return true
        case .reset:
            var linger = linger(l_onoff: 1, l_linger: 0)
            setsockopt(connection, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
            return false
        case .again: return true
        }
    }

    private func write(_ text: String, to connection: Int32) -> Bool {
        var text = text
        return text.withUTF8 { send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) == $0.count }
    }

    private func readRequest(_ connection: Int32, _ buffered: inout [UInt8]) -> String? {
        var chunk = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let text = String(decoding: buffered, as: UTF8.self)
            if let head = text.range(of: "\r\n\r\n") {
                let lines = text[..<head.lowerBound].lowercased().split(separator: "\r\n")
                let length = lines.first { $0.hasPrefix("content-length:") }.flatMap { Int($0.dropFirst(15).trimmingPrefix(" ")) } ?? 0
                let total = text[..<head.upperBound].utf8.count + length
                if buffered.count >= total {
                    defer { buffered.removeFirst(total) }
                    return String(decoding: buffered.prefix(total), as: UTF8.self)
                }
            }
            let count = recv(connection, &chunk, chunk.count, 0)
            guard count > 0 else { return nil }
            buffered += chunk.prefix(count)
        }
    }
}

private func bindToLoopback(_ descriptor: Int32) throws -> UInt16 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
        }
    }
    guard bound else { throw POSIXError(.EADDRINUSE) }
    return UInt16(bigEndian: address.sin_port)
}
