import Glibc
import Synchronization

/// A TCP proxy in front of the broker that can freeze and reset connections. Uses plain threads, two for each connection.
public final class FaultProxy: Sendable {
    private enum Mode { case forwarding, frozen, stalled, withoutConfirms, withoutDeliveries, withoutConfirmMode, closed }

    private struct State {
        var mode = Mode.forwarding
        var pairs: [(client: Int32, server: Int32)] = []
    }

    public let port: Int
    private let listener: Int32
    private let target: sockaddr_in
    private let state = Mutex(State())

    public struct NoSocket: Error {}

    /// Listens on a free loopback port and forwards to `port` there.
    public init(to port: Int) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        self.listener = listener
        target = Self.loopback(port: UInt16(port))
        var address = Self.loopback(port: 0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, 64) == 0 && getsockname(listener, $0, &size) == 0
            }
        }
        guard isBound else { throw NoSocket() }
        self.port = Int(UInt16(bigEndian: address.sin_port))
        startThread { $0.acceptAll() }
    }

    /// The number of open connections.
    public var connections: Int { state.withLock { $0.pairs.count } }

    /// Drops all bytes in both directions and keeps connections open. A peer sees the same when the network is cut.
    public func freeze() { state.withLock { $0.mode = .frozen } }

    /// Stops reading, so that the sender's buffers fill. A peer sees the same when a process is stopped.
    public func stall() { state.withLock { $0.mode = .stalled } }

    /// Forwards what was held since ``stall()``, and everything after it.
    public func unstall() { state.withLock { $0.mode = .forwarding } }

    /// Drops the broker's confirms and forwards everything else, heartbeats too. A client sees the same when its broker is cut off from the
    /// cluster.
    public func swallowConfirms() { state.withLock { $0.mode = .withoutConfirms } }

    /// Drops the broker's deliveries and forwards everything else. A frame is whole only if each delivery comes alone, so let the consumer have
    /// a prefetch of 1.
    public func swallowDeliveries() { state.withLock { $0.mode = .withoutDeliveries } }

    /// Drops the answer to a publisher that asks for confirms, and forwards everything else. The login succeeds, and the next step does not.
    public func swallowConfirmMode() { state.withLock { $0.mode = .withoutConfirmMode } }

    /// Resets the frozen connections and forwards again for new ones.
    public func thaw() {
        reset()
        state.withLock { $0.mode = .forwarding }
    }

    /// Resets every connection.
    public func reset() {
        state.withLock { state in
            for pair in state.pairs {
                for socket in [pair.client, pair.server] {
                    var linger = linger(l_onoff: 1, l_linger: 0)
                    setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
                    shutdown(socket, Int32(SHUT_RDWR))
                }
            }
        }
    }

    public func close() {
        state.withLock { $0.mode = .closed }
        shutdown(listener, Int32(SHUT_RDWR))
        reset()
    }

    private func acceptAll() {
        while true {
            let client = accept(listener, nil, nil)
            guard client >= 0 else { break }
            let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = target
            let isConnected = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
            guard isConnected else {
                Glibc.close(client)
                Glibc.close(server)
                continue
            }
            state.withLock { $0.pairs.append((client, server)) }
            let remaining = Countdown(2)
            startThread { proxy in proxy.copy(from: client, to: server, remaining, client, server) }
            startThread { proxy in proxy.copy(from: server, to: client, remaining, client, server) }
        }
        Glibc.close(listener)
    }

    private final class Countdown: Sendable {
        private let left: Mutex<Int>
        init(_ count: Int) { left = Mutex(count) }
        /// Returns true for the last call.
        func finish() -> Bool {
            left.withLock { left in
                left -= 1
                return left == 0
            }
        }
    }

    private func copy(from source: Int32, to sink: Int32, _ remaining: Countdown, _ client: Int32, _ server: Int32) {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = recv(source, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            // A frozen proxy reads and discards: the sender continues to send, and no answer ever comes.
            while state.withLock({ $0.mode }) == .stalled { poll(nil, 0, 10) }
            let mode = state.withLock { $0.mode }
            if mode == .frozen { continue }
            if source == server, let method = Self.swallowed(mode), Self.holds(method, buffer.prefix(count)) { continue }
            var sent = 0
            while sent < count {
                let written = buffer.withUnsafeBytes { send(sink, $0.baseAddress?.advanced(by: sent), count - sent, Int32(MSG_NOSIGNAL)) }
                guard written > 0 else { break }
                sent += written
            }
            guard sent == count else { break }
        }
        shutdown(source, Int32(SHUT_RDWR))
        shutdown(sink, Int32(SHUT_RDWR))
        guard remaining.finish() else { return }
        state.withLock { state in
            state.pairs.removeAll { $0.client == client }
            Glibc.close(client)
            Glibc.close(server)
        }
    }

    /// The method that the mode drops, as the numbers of its class and of itself: basic.ack, basic.deliver or confirm.select-ok.
    private static func swallowed(_ mode: Mode) -> [UInt8]? {
        switch mode {
        case .withoutConfirms: [0, 60, 0, 80]
        case .withoutDeliveries: [0, 60, 0, 60]
        case .withoutConfirmMode: [0, 85, 0, 11]
        case .forwarding, .frozen, .stalled, .closed: nil
        }
    }

    /// Searches for the numbers of a method. The frame comes alone if one message is in flight.
    private static func holds(_ method: [UInt8], _ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.indices.contains { bytes[$0...].starts(with: method) }
    }

    private func startThread(_ body: @escaping @Sendable (FaultProxy) -> Void) {
        final class Start {
            let body: () -> Void
            init(_ body: @escaping () -> Void) { self.body = body }
        }
        let start = Unmanaged.passRetained(Start { body(self) })
        var thread = pthread_t()
        pthread_create(
            &thread, nil,
            { pointer in
                guard let pointer else { return nil }
                Unmanaged<Start>.fromOpaque(pointer).takeRetainedValue().body()
                return nil
            }, start.toOpaque())
        pthread_detach(thread)
    }

    private static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return address
    }
}
