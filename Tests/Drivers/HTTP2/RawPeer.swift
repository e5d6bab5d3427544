import Foundation
import Glibc
import TidingsHTTP
import TidingsTestSupport

@testable import TidingsHTTP2
@testable import TidingsHTTP2Server

/// A listener on loopback. Tests write to its connections frame by frame, so that they can misbehave as no HTTP/2 library would allow.
final class RawServer: Sendable {
    let port: UInt16
    private let listener: Int32
    private let context: TLSContext
    /// A PEM file with the authority that a client must trust.
    let authorityFile: String

    /// - Parameter backlog: the connections that the kernel takes before ``accept()``. Nil refuses all connections until
    ///   ``listen(backlog:)``.
    init(backlog: Int32? = 16) throws {
        guard let certificate = SelfSignedCertificate() else { throw POSIXError(.ENOMEM) }
        context = try TLSContext(presenting: certificate)
        authorityFile = try certificate.writeAuthorityFile()
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in.loopback(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = listener
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isBound else { throw POSIXError(.EADDRINUSE) }
        port = UInt16(bigEndian: address.sin_port)
        limitWaiting(on: listener)
        if let backlog { listen(backlog: backlog) }
    }

    deinit {
        close(listener)
        try? FileManager.default.removeItem(atPath: authorityFile)
    }

    var address: SocketAddress {
        withUnsafeBytes(of: sockaddr_in.loopback(port: port)) { SocketAddress(family: AF_INET, bytes: Array($0)) }
    }

    func listen(backlog: Int32) { _ = Glibc.listen(listener, backlog) }

    /// The next connection, after the TLS handshake.
    func accept() async throws -> RawConnection {
        try await onThread { [self] in
            let socket = Glibc.accept(listener, nil, nil)
            guard socket >= 0 else { throw POSIXError(.ETIMEDOUT) }
            return try RawConnection(context, socket: socket, serverName: nil)
        }
    }

    /// The next connection, after the client's preface was read and these frames were sent.
    func accept(sending frames: RawFrame...) async throws -> RawConnection {
        let connection = try await accept()
        try await onThread {
            _ = try connection.read(RawFrame.preface.count)
            connection.send(frames)
        }
        return connection
    }
}

/// One end of a connection with TLS. Its calls block for at most 10 s.
// Unchecked, because a test calls it from one task after the other.
final class RawConnection: @unchecked Sendable {
    private var stream: TLSStream?
    private var unread: [UInt8] = []

    init(_ context: TLSContext, socket: Int32, serverName: String?) throws {
        limitWaiting(on: socket)
        // Sent bytes leave at once, so that they arrive even if a reset follows.
        SocketOption.forManySmallRequests.forEach { $0.set(on: socket) }
        stream = TLSStream(context, socket: socket, serverName: serverName)
        guard stream?.handshake() == .done else { throw POSIXError(.ECONNABORTED) }
    }

    /// Connects as a client to a server on loopback.
    static func connect(port: UInt16, trusting authorityFile: String) async throws -> RawConnection {
        try await onThread {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            var address = sockaddr_in.loopback(port: port)
            let status = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            guard status == 0 else { throw POSIXError(.ECONNREFUSED) }
            return try RawConnection(TLSContext(trusting: authorityFile), socket: descriptor, serverName: "127.0.0.1")
        }
    }

    func send(_ frames: [RawFrame]) {
        for frame in frames { send(frame.bytes) }
    }

    /// Sends the bytes as at least one TLS record.
    func send(_ bytes: [UInt8]) {
        var output = OutputBuffer()
        bytes.withUnsafeBytes { output.append($0) }
        _ = stream?.write(&output)
    }

    func read(_ count: Int) throws -> [UInt8] {
        while unread.count < count {
            guard let stream else { throw POSIXError(.EBADF) }
            var arrived: [UInt8] = []
            let progress = stream.read {
                arrived += $0
                return false
            }
            guard progress == .done else { throw POSIXError(.ECONNRESET) }
            unread += arrived
        }
        defer { unread.removeFirst(count) }
        return Array(unread.prefix(count))
    }

    func nextFrame() throws -> RawFrame {
        let head = try read(9)
        let length = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
        let stream = head[5...].reduce(0) { $0 << 8 | UInt32($1) }
        return RawFrame(type: head[3], flags: head[4], stream: stream, payload: try read(length))
    }

    /// The next frame of this type. Skips the frames before it.
    func next(_ type: UInt8) async throws -> RawFrame {
        try await onThread {
            while true {
                let frame = try self.nextFrame()
                if frame.type == type { return frame }
            }
        }
    }

    /// All frames until the peer closes.
    func remainingFrames() async throws -> [RawFrame] {
        await onThread {
            var frames: [RawFrame] = []
            while let frame = try? self.nextFrame() { frames.append(frame) }
            return frames
        }
    }

    func close() { stream = nil }

    /// Closes with RST instead of FIN.
    func reset() {
        guard let socket = stream?.socket else { return }
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
        stream = nil
    }
}

/// A frame of RFC 9113, section 6.
struct RawFrame: Sendable {
    static let head: UInt8 = 1
    static let goAway: UInt8 = 7

    static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    var type: UInt8
    var flags: UInt8 = 0
    var stream: UInt32 = 0
    var payload: [UInt8] = []

    var bytes: [UInt8] {
        Array(UInt32(payload.count).bytes.dropFirst()) + [type, flags] + stream.bytes + payload
    }

    static let settings = RawFrame(type: 4)
    static func settings(maximumStreams: UInt32) -> RawFrame { RawFrame(type: 4, payload: [0, 3] + maximumStreams.bytes) }
    static func reset(_ stream: UInt32, code: UInt32) -> RawFrame { RawFrame(type: 3, stream: stream, payload: code.bytes) }
    static func goAway(lastStream: UInt32) -> RawFrame { RawFrame(type: goAway, payload: lastStream.bytes + UInt32(0).bytes) }
    static func windowUpdate() -> RawFrame { RawFrame(type: 8, payload: UInt32(1).bytes) }
    /// The status 200 is entry 8 of the static table of RFC 7541. The flag 4 is END_HEADERS, and 1 is END_STREAM.
    static func answer(_ stream: UInt32, isLast: Bool = true) -> RawFrame {
        RawFrame(type: head, flags: isLast ? 5 : 4, stream: stream, payload: [0x88])
    }
    /// A `POST https://a` with this path, which does not enter the compression table.
    static func request(_ stream: UInt32, path: String) -> RawFrame {
        let literal = [0x04, UInt8(path.utf8.count)] + Array(path.utf8)
        return RawFrame(type: head, flags: 5, stream: stream, payload: [0x83, 0x87] + literal + [0x01, 1, UInt8(ascii: "a")])
    }
}

extension UInt32 {
    fileprivate var bytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}

extension sockaddr_in {
    fileprivate static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        return address
    }
}

/// Limits each wait to 10 s for the speed of this machine: a silent peer causes an error instead of a test that hangs.
private func limitWaiting(on socket: Int32) {
    var limit = timeval(tv_sec: Patience.scaled(10), tv_usec: 0)
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
}

/// Runs blocking code outside the pool of threads that all tests share.
func onThread<Value: Sendable, Failure: Error>(_ body: @escaping @Sendable () throws(Failure) -> Value) async throws(Failure) -> Value {
    let result = await withCheckedContinuation { (continuation: CheckedContinuation<Result<Value, Failure>, Never>) in
        Thread.detachNewThread {
            blockBrokenPipeSignal()
            continuation.resume(returning: Result(catching: body))
        }
    }
    return try result.get()
}

/// Blocks SIGPIPE, as a transport's thread does. A write to a peer that is gone then fails instead of ending the process.
func blockBrokenPipeSignal() {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
}
