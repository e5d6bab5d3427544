import Glibc
import Synchronization

/// A port that nobody else's private servers choose, in this process or another, until it is released or the process ends.
///
/// What is held is a Unix socket with the port in its name, in Linux's abstract namespace (unix(7)): the kernel gives a name to one socket at a
/// time, leaves nothing on disk, and takes it back with the process.
final class PortClaim: Sendable {
    let port: UInt16
    private let name: Mutex<CInt?>

    /// `nil` when somebody else has claimed it, or uses it.
    init?(_ port: UInt16) {
        self.port = port
        name = Mutex(Self.socket(named: "tidings-port-\(port)"))
        guard name.withLock({ $0 != nil }), LoopbackPort.isFree(port) else { return nil }
    }

    deinit { release() }

    func release() {
        name.withLock { name in
            if let name { close(name) }
            name = nil
        }
    }

    /// The socket that has the name now, or `nil` when another has it.
    private static func socket(named name: String) -> CInt? {
        let file = Glibc.socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard file >= 0 else { return nil }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // A zero before the name says that it is no path; the length, where it ends.
        withUnsafeMutableBytes(of: &address.sun_path) { UnsafeMutableRawBufferPointer(rebasing: $0.dropFirst()).copyBytes(from: name.utf8) }
        let length = MemoryLayout<sa_family_t>.size + 1 + name.utf8.count
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(file, $0, socklen_t(length)) }
        }
        if bound == 0 { return file }
        close(file)
        return nil
    }
}
