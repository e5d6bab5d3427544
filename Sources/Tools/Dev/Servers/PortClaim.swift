import Glibc
import Synchronization

/// A claim on a port. Until the claim is released or the process ends, no other private servers choose this port, in this process or
/// another.
///
/// The claim is a Unix socket with the port in its name, in Linux's abstract namespace (unix(7)). The kernel gives a name to one socket at
/// a time and leaves nothing on disk. The name is free again when the process ends.
package final class PortClaim: Sendable {
    package let port: UInt16
    private let name: Mutex<CInt?>

    /// Returns `nil` if the port is claimed or in use.
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

    /// Returns the socket that has the name; `nil` if another socket has it.
    private static func socket(named name: String) -> CInt? {
        let file = Glibc.socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard file >= 0 else { return nil }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // A zero before the name shows that the name is not a path. The length shows where the name ends.
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
