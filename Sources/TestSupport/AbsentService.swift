import Glibc

/// A port on loopback where no server listens. Connections to the port are refused. No other process can use the port while this object
/// lives.
public final class AbsentService: Sendable {
    private let socket: Int32
    public let port: UInt16

    public init() throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let socket = socket
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, length) == 0 && getsockname(socket, $0, &length) == 0
            }
        }
        guard bound else {
            close(socket)
            throw TestSystemError(message: "no port of 127.0.0.1 can be taken: \(String(cString: strerror(errno)))")
        }
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit { close(socket) }
}
