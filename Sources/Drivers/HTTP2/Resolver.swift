import Glibc
import TidingsHTTP
import TidingsSocket

/// An address to connect to, in the system's form.
struct SocketAddress: Sendable {
    var family: Int32
    var bytes: [UInt8]
}

/// Looks a host up on a thread of its own, because `getaddrinfo` blocks for as long as the name servers take.
///
/// Nothing is cached: if a provider moves to a new address, the next connection finds it.
enum Resolver {
    private final class Job {
        let host: String
        let port: UInt16
        let done: @Sendable (Result<[SocketAddress], HTTPFailure>) -> Void

        init(host: String, port: UInt16, done: @escaping @Sendable (Result<[SocketAddress], HTTPFailure>) -> Void) {
            self.host = host
            self.port = port
            self.done = done
        }
    }

    /// Calls `done` exactly once, on another thread. If no thread can be started, `done` runs at once on this thread with the failure.
    static func resolve(host: String, port: UInt16, done: @escaping @Sendable (Result<[SocketAddress], HTTPFailure>) -> Void) {
        var thread = pthread_t()
        let job = unsafe Unmanaged.passRetained(Job(host: host, port: port, done: done))
        let status = unsafe pthread_create(
            &thread, nil,
            { context in
                guard let context = unsafe context else { return nil }
                let job = unsafe Unmanaged<Job>.fromOpaque(context).takeRetainedValue()
                job.done(Resolver.addresses(of: job.host, port: job.port))
                return nil
            }, unsafe job.toOpaque())
        guard status != 0 else {
            pthread_detach(thread)
            return
        }
        unsafe job.release()
        done(.failure(HTTPFailure(kind: .dns, requestMayHaveArrived: false, message: "no thread to look \(host) up on")))
    }

    private static func addresses(of host: String, port: UInt16) -> Result<[SocketAddress], HTTPFailure> {
        var hints = unsafe addrinfo()
        unsafe hints.ai_family = AF_UNSPEC
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        unsafe hints.ai_flags = AI_ADDRCONFIG | AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        // An address of this machine must be found on a machine that has no other.
        var code = unsafe getaddrinfo(host, String(port), &hints, &list)
        if code == EAI_NONAME || code == EAI_FAMILY {
            unsafe hints.ai_flags = AI_NUMERICSERV
            code = unsafe getaddrinfo(host, String(port), &hints, &list)
        }
        guard code == 0 else {
            return .failure(
                HTTPFailure(kind: .dns, requestMayHaveArrived: false, message: unsafe "\(host): \(String(cString: gai_strerror(code)))"))
        }
        defer { unsafe freeaddrinfo(list) }
        var found: [SocketAddress] = []
        var next = unsafe list
        while let entry = unsafe next {
            let bytes = unsafe UnsafeRawBufferPointer(start: entry.pointee.ai_addr, count: Int(entry.pointee.ai_addrlen))
            unsafe found.append(SocketAddress(family: entry.pointee.ai_family, bytes: Array(bytes)))
            unsafe next = unsafe entry.pointee.ai_next
        }
        return .success(found)
    }
}

extension SocketAddress {
    /// Opens a non-blocking socket that connects to this address. Returns nil with `errno` set.
    func connectingSocket() -> Int32? {
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0, SpareDescriptor.isLeft(after: [descriptor]) else { return nil }
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        SocketOption.forManySmallRequests.forEach { $0.set(on: descriptor) }
        let status = unsafe bytes.withUnsafeBytes { raw in
            unsafe connect(descriptor, raw.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(raw.count))
        }
        if status == 0 || errno == EINPROGRESS { return descriptor }
        let code = errno
        close(descriptor)
        errno = code
        return nil
    }
}

package struct SocketOption: Sendable {
    private let level: Int32
    private let name: Int32
    private let value: Int32

    package init(level: Int32, name: Int32, value: Int32) {
        self.level = level
        self.name = name
        self.value = value
    }

    package func set(on descriptor: Int32) {
        var value = value
        unsafe setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Requests leave at once, without Nagle's algorithm. A peer that disappeared is noticed within a minute, on an idle connection too
    /// (tcp(7)).
    package static let forManySmallRequests = [
        SocketOption(level: Int32(IPPROTO_TCP), name: TCP_NODELAY, value: 1),
        SocketOption(level: SOL_SOCKET, name: SO_KEEPALIVE, value: 1),
        SocketOption(level: Int32(IPPROTO_TCP), name: TCP_KEEPIDLE, value: 30),
        SocketOption(level: Int32(IPPROTO_TCP), name: TCP_KEEPINTVL, value: 10),
        SocketOption(level: Int32(IPPROTO_TCP), name: TCP_KEEPCNT, value: 3),
        SocketOption(level: Int32(IPPROTO_TCP), name: TCP_USER_TIMEOUT, value: 20_000),
    ]
}
