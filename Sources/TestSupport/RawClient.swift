import Foundation
import Glibc

/// A client that sends any bytes over TCP. Its waiting happens on threads of its own.
public final class RawClient: Sendable {
    private let descriptor: Int32
    public let port: Int

    /// - Parameters:
    ///   - source: the loopback address from which the client connects, such as `127.0.0.2`. Nil for the usual one.
    ///   - bufferBytes: the bytes that the kernel takes for a client that reads nothing; it takes up to twice as many. Nil: as many as it
    ///     likes.
    public init(port: Int, from source: String? = nil, buffering bufferBytes: Int32? = nil) throws {
        self.port = port
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        if let source {
            var own = sockaddr_in()
            own.sin_family = sa_family_t(AF_INET)
            own.sin_addr.s_addr = inet_addr(source)
            let bound = withUnsafePointer(to: &own) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
            }
            guard bound == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EADDRNOTAVAIL) }
        }
        if var bufferBytes {
            // Set before the connection, whose first window follows from it.
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bufferBytes, socklen_t(MemoryLayout<Int32>.size))
            // Segments of an Ethernet. A segment of the loopback has 64 KiB: a small buffer has no room for it, and the kernel drops it.
            var segmentBytes: Int32 = 1_460
            setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_MAXSEG, &segmentBytes, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
        guard result == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .ECONNREFUSED) }
        // A server that never answers must fail the test, not hold it.
        var limit = timeval(tv_sec: Patience.scaled(20), tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    public func send(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count <= 0 { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Ends this side of the connection.
    public func finish() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Resets the connection: the other end gets no farewell, as when a phone loses its network. Nothing can be sent or read afterwards.
    public func reset() {
        // A socket of no family ends the connection and keeps the descriptor, which a reading thread may use.
        var nowhere = sockaddr()
        nowhere.sa_family = sa_family_t(AF_UNSPEC)
        _ = connect(descriptor, &nowhere, socklen_t(MemoryLayout<sockaddr>.size))
    }

    /// The bytes that have arrived at a server of this process and that it has not read. The list of the kernel (`/proc/net/tcp`) leaves out
    /// connections while others open and close, so the server's own descriptor is asked.
    ///
    /// Throws an error if no descriptor of this process is the other end.
    public func bytesUnreadByServer() throws -> Int {
        let own = Self.port(of: descriptor, getsockname)
        for name in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
            guard let other = Int32(name), Self.port(of: other, getsockname) == port, Self.port(of: other, getpeername) == own else {
                continue
            }
            var count: Int32 = 0
            guard ioctl(other, UInt(FIONREAD), &count) == 0 else { break }
            return Int(count)
        }
        throw POSIXError(.ENOTCONN)
    }

    private static func port(
        of descriptor: Int32, _ name: (Int32, UnsafeMutablePointer<sockaddr>?, UnsafeMutablePointer<socklen_t>?) -> Int32
    ) -> Int? {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name(descriptor, $0, &size) }
        }
        return result == 0 && address.sin_family == sa_family_t(AF_INET) ? Int(UInt16(bigEndian: address.sin_port)) : nil
    }

    /// Everything that arrives until the server closes.
    public func readToEnd() async -> String {
        await onThread { [self] in
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 16_384)
            while true {
                let count = recv(descriptor, &buffer, buffer.count, 0)
                if count <= 0 { return String(decoding: bytes, as: UTF8.self) }
                bytes += buffer[..<count]
            }
        }
    }

    /// Reads this many bytes at a time, as a slow client does, and pauses before each time. The thread is this client's own, because a task
    /// may wait long for its turn beside others.
    ///
    /// Returns fewer bytes if the server closes before.
    public func read(bytes count: Int, times: Int, every pause: Duration) async -> String {
        await onThread { [self] in
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 16_384)
            let began = ContinuousClock.now
            for number in 1...times {
                let rest = began + pause * number - .now
                if rest > .zero { _ = poll(nil, 0, Int32(rest / .milliseconds(1))) }
                while bytes.count < number * count {
                    let read = recv(descriptor, &buffer, min(buffer.count, number * count - bytes.count), 0)
                    guard read > 0 else { return String(decoding: bytes, as: UTF8.self) }
                    bytes += buffer[..<read]
                }
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// Reads until the text has arrived. Returns everything up to then.
    public func read(until end: String) async -> String {
        await onThread { [self] in
            var bytes: [UInt8] = []
            var byte = [UInt8](repeating: 0, count: 1)
            while !String(decoding: bytes, as: UTF8.self).hasSuffix(end) {
                guard recv(descriptor, &byte, 1, 0) == 1 else { break }
                bytes += byte
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    // The body keeps the client alive, so that the thread never reads from another connection that has got the same descriptor.
    private func onThread(_ body: @escaping @Sendable () -> String) async -> String {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: body()) }
        }
    }
}
