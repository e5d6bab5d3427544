import Glibc
import TidingsCore
import TidingsHTTP
import TidingsProvider

/// Delivers by one HTTP call to a service. The operator describes the service's address, body and answers in settings.
///
/// A delivery without title and body is sent like any other: the service may write the words itself, from type and data.
struct HTTPProvider: Provider {
    let name: String
    let channel: Channel
    let limits: ProviderLimits
    private let configuration: ServiceConfiguration
    private let transport: HTTPTransport
    private let now: @Sendable () -> Timestamp

    /// - Parameters:
    ///   - transport: closed by ``close()``.
    ///   - now: the clock of dates in `Retry-After`.
    init(
        name: String, channel: Channel, configuration: ServiceConfiguration, transport: HTTPTransport,
        now: @escaping @Sendable () -> Timestamp = Timestamp.systemTime
    ) {
        self.name = name
        self.channel = channel
        self.configuration = configuration
        self.transport = transport
        self.now = now
        limits = configuration.calls.limits(maximumBodyBytes: configuration.maximumBodyBytes)
    }

    func send(_ item: OutgoingDelivery) async -> SendResult {
        let request: HTTPRequest
        do throws(Refusal) {
            request = try configuration.request(for: item, channel: channel)
        } catch {
            return error.result
        }
        return configuration.result(of: await transport.send(request), for: item, now: now())
    }

    func close() async {
        await transport.close()
    }
}
