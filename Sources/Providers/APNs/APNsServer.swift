import Synchronization
import TidingsHTTP
import TidingsHTTP2

/// The connections to one of Apple's two services.
final class APNsServer: Sendable {
    private let transmit: @Sendable (HTTP2Request) async -> HTTPResult
    private let retire: @Sendable () async -> Void
    private let disconnect: @Sendable () async -> Void
    private let retirements = Mutex(0)

    /// - Parameters:
    ///   - transmit: sends one request, once.
    ///   - retire: makes later requests use new connections.
    ///   - disconnect: closes all connections.
    init(
        transmit: @escaping @Sendable (HTTP2Request) async -> HTTPResult, retire: @escaping @Sendable () async -> Void,
        disconnect: @escaping @Sendable () async -> Void
    ) {
        self.transmit = transmit
        self.retire = retire
        self.disconnect = disconnect
    }

    convenience init(_ transport: HTTP2Transport) {
        self.init(
            transmit: { await transport.send($0) }, retire: { await transport.retireConnections() },
            disconnect: { await transport.close() })
    }

    /// Sends one request. If the answer makes its connection unusable, the next request uses another connection.
    func send(_ request: HTTP2Request) async -> HTTPResult {
        let known = retirements.withLock { $0 }
        let result = await transmit(request)
        if apnsReason(of: result)?.spoilsConnection == true, isFirst(since: known) { await retire() }
        return result
    }

    func close() async {
        await disconnect()
    }

    /// Whether no other request has retired the connections since. When a connection goes bad, hundreds of requests get the same answer.
    /// Only the first may retire it; the later ones would retire the good connection that replaced it.
    private func isFirst(since known: Int) -> Bool {
        retirements.withLock { count in
            guard count == known else { return false }
            count += 1
            return true
        }
    }
}
