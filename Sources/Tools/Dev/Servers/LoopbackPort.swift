import Glibc

/// TCP ports on 127.0.0.1.
package enum LoopbackPort {
    /// Ports below Linux's default range for outgoing connections, which begins at 32768. A client can take a port of that range while the
    /// server restarts. A client that keeps reconnecting to the port can even end up connected to itself.
    private static let range: ClosedRange<UInt16> = 20_000...31_999

    /// The most tries. With a hundred servers on the machine, one in a hundred tries fails.
    private static let tries = 100

    /// Tries for the kept port. A released claim can last some milliseconds on a busy machine, because a child between fork and exec holds
    /// a copy.
    private static let keptTries = 20
    /// In microseconds: the pause between two tries.
    private static let keptPause: UInt32 = 10_000

    /// Returns the port kept in `file` if that port is free. Otherwise chooses a new free port and writes it to `file`.
    ///
    /// The port belongs to the caller until the claim is released. The claim is needed because the port looks free to others before its
    /// server listens and while its server is down.
    static func kept(in file: String) throws(PrivateServersError) -> PortClaim {
        if let text = PrivateFile.read(file), let port = UInt16(text) {
            for again in 0..<keptTries {
                if let claim = PortClaim(port) { return claim }
                if again + 1 < keptTries { usleep(keptPause) }
            }
        }
        let claim = try unused()
        try PrivateFile.write("\(claim.port)\n", to: file)
        return claim
    }

    /// Chooses a free port. A server that cannot choose a port itself may then listen on it.
    package static func unused() throws(PrivateServersError) -> PortClaim {
        for _ in 0..<tries {
            if let claim = PortClaim(UInt16.random(in: range)) { return claim }
        }
        throw .system(call: "choosing a port", reason: "none of \(tries) tried between \(range.lowerBound) and \(range.upperBound) is free")
    }

    /// Whether a server could listen on the port now.
    static func isFree(_ port: UInt16) -> Bool {
        withSocket(to: port) { file, address, length in
            var yes: CInt = 1
            // Servers set this option too: connections of an earlier server may linger.
            setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout.size(ofValue: yes)))
            return bind(file, address, length) == 0
        }
    }

    /// Whether a server accepts connections on the port.
    static func accepts(_ port: UInt16) -> Bool {
        withSocket(to: port) { file, address, length in connect(file, address, length) == 0 }
    }

    /// Whether an AMQP 0-9-1 server answers on the port. Such a server answers the protocol header with a method frame, `connection.start`
    /// (section 2.2.4).
    static func speaksAMQP(_ port: UInt16) -> Bool {
        withSocket(to: port) { file, address, length in
            var limit = timeval(tv_sec: answerLimitSeconds, tv_usec: 0)
            setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout.size(ofValue: limit)))
            guard connect(file, address, length) == 0 else { return false }
            let header: [UInt8] = Array("AMQP".utf8) + [0, 0, 9, 1]
            guard send(file, header, header.count, CInt(MSG_NOSIGNAL)) == header.count else { return false }
            var frameType: UInt8 = 0
            let methodFrame: UInt8 = 1
            return recv(file, &frameType, 1, 0) == 1 && frameType == methodFrame
        }
    }

    /// In seconds. A broker that answers later is not ready.
    private static let answerLimitSeconds = 2

    private static func withSocket(to port: UInt16, _ body: (CInt, UnsafePointer<sockaddr>, socklen_t) -> Bool) -> Bool {
        let file = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard file >= 0 else { return false }
        defer { close(file) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body(file, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
    }
}
