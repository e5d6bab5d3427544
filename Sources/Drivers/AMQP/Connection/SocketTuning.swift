internal import Glibc

/// Options of the TCP socket, so that the kernel notices a dead peer even while the library waits.
enum SocketTuning {
    /// Half the heartbeat before the first keepalive probe, then this many probes.
    private static let keepaliveProbes: Int32 = 3
    /// The send buffer asked for. The kernel may grant less (`net.core.wmem_max`); only a quarter of what is granted is ever used.
    private static let sendBufferBytes: Int32 = 1 << 20

    static func apply(to socket: Int32, heartbeat: Duration) {
        let seconds = Int32(max(1, heartbeat.components.seconds))
        set(socket, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        set(socket, SOL_SOCKET, SO_KEEPALIVE, 1)
        set(socket, Int32(IPPROTO_TCP), TCP_KEEPIDLE, max(1, seconds / 2))
        set(socket, Int32(IPPROTO_TCP), TCP_KEEPINTVL, max(1, seconds / 2))
        set(socket, Int32(IPPROTO_TCP), TCP_KEEPCNT, keepaliveProbes)
        // Unacknowledged bytes kill the connection after two heartbeats: without this a cut network held a publish for ever.
        set(socket, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, seconds * 2 * 1000)
        if sendBufferSize(of: socket) < sendBufferBytes { set(socket, SOL_SOCKET, SO_SNDBUF, sendBufferBytes) }
    }

    /// Keeps what is written until a segment is full, or lets all of it go.
    static func holdBack(_ isHeld: Bool, on socket: Int32) {
        // Counts more than TCP_NODELAY.
        set(socket, Int32(IPPROTO_TCP), TCP_CORK, isHeld ? 1 : 0)
    }

    static func sendBufferSize(of socket: Int32) -> Int {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard unsafe getsockopt(socket, SOL_SOCKET, SO_SNDBUF, &value, &length) == 0 else { return 0 }
        return Int(value)
    }

    /// An option that the kernel refuses is left as it is: each one is a second net, and the heartbeat the first.
    private static func set(_ socket: Int32, _ level: Int32, _ option: Int32, _ value: Int32) {
        var value = value
        _ = unsafe setsockopt(socket, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }
}

extension timeval {
    init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        self.init(tv_sec: Int(seconds), tv_usec: Int(attoseconds / 1_000_000_000_000))
    }
}

extension BrokerConnection {
    /// Waits on the calling thread until something can be read, `limit` passes or half a heartbeat is over.
    func waitUntilReadable(limit: ContinuousClock.Instant) {
        var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        let wait = min(ContinuousClock.now.duration(to: min(limit, nextDuty)), .seconds(1))
        _ = unsafe poll(&descriptor, 1, Int32(max(1, wait / .milliseconds(1))))
    }
}
