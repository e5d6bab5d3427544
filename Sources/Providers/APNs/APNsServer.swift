import Synchronization
import TidingsHTTP
import TidingsHTTP2

/// One of Apple's two services, with the connections to it.
final class APNsServer: Sendable {
    private let transmit: @Sendable (HTTP2Request) async -> HTTPResult
    private let retire: @Sendable () async -> Void
    private let disconnect: @Sendable () async -> Void
    private let retirements = Mutex(0)

    /// - Parameters:
    ///   - transmit: sends one request, once.
    ///   - retire: has later requests go over new connections.
    ///   - disconnect: ends all.
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

    /// Sends one request. After an answer that spoils its connection the next one goes over another.
    func send(_ request: HTTP2Request) async -> HTTPResult {
        let known = retirements.withLock { $0 }
        let result = await transmit(request)
        if apnsReason(of: result)?.spoilsConnection == true, isFirst(since: known) { await retire() }
        return result
    }

    func close() async {
        await disconnect()
    }

    /// Whether nobody has retired the connections since. Hundreds of requests get the same answer when a connection goes bad, and must not
    /// retire, one after the other, the good one that takes its place.
    private func isFirst(since known: Int) -> Bool {
        retirements.withLock { count in
            guard count == known else { return false }
            count += 1
            return true
        }
    }
}
