internal import Glibc

/// Options of the TCP socket, so that the kernel notices a dead peer even while the library waits.
enum SocketTuning {
    /// The number of keepalive probes. The first one comes after half a heartbeat without traffic.
    private static let keepaliveProbes: Int32 = 3
    /// The requested size of the send buffer in bytes. The kernel may grant less (`net.core.wmem_max`). Only a quarter of the granted size
    /// is used.
    private static let sendBufferBytes: Int32 = 1 << 20

    static func apply(to socket: Int32, heartbeat: Duration) {
        let seconds = Int32(max(1, heartbeat.components.seconds))
        set(socket, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        set(socket, SOL_SOCKET, SO_KEEPALIVE, 1)
        set(socket, Int32(IPPROTO_TCP), TCP_KEEPIDLE, max(1, seconds / 2))
        set(socket, Int32(IPPROTO_TCP), TCP_KEEPINTVL, max(1, seconds / 2))
        set(socket, Int32(IPPROTO_TCP), TCP_KEEPCNT, keepaliveProbes)
        // The kernel closes the connection if bytes stay unacknowledged for two heartbeats. Without this, a cut network blocked a publish
        // for ever.
        set(socket, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, seconds * 2 * 1000)
        if sendBufferSize(of: socket) < sendBufferBytes { set(socket, SOL_SOCKET, SO_SNDBUF, sendBufferBytes) }
    }

    /// Makes the kernel hold written bytes until a segment is full, or sends all of them.
    static func holdBack(_ isHeld: Bool, on socket: Int32) {
        // TCP_CORK has priority over TCP_NODELAY.
        set(socket, Int32(IPPROTO_TCP), TCP_CORK, isHeld ? 1 : 0)
    }

    static func sendBufferSize(of socket: Int32) -> Int {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard unsafe getsockopt(socket, SOL_SOCKET, SO_SNDBUF, &value, &length) == 0 else { return 0 }
        return Int(value)
    }

    /// Sets an option and ignores a refusal of the kernel: the heartbeat is the first protection, and each option is only a second one.
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
