import Glibc
import TidingsCore
import TidingsHTTP
import TidingsProvider

/// Delivers by one HTTP call to a service. The operator describes the service's address, body and answers in settings.
///
/// A delivery without title and body is sent like any other: the service may write the words itself, from type and data.
struct HTTPProvider: ConnectedProvider {
    let connection: ServiceConnection
    let channel: Channel
    let limits: ProviderLimits
    private let configuration: ServiceConfiguration

    init(_ channel: Channel, _ configuration: ServiceConfiguration, _ connection: ServiceConnection) {
        self.channel = channel
        self.connection = connection
        self.configuration = configuration
        limits = configuration.calls.limits(maximumBodyBytes: configuration.maximumBodyBytes)
    }

    var isReportedByMessageID: Bool { configuration.isReportedByMessageID }

    func send(_ item: OutgoingDelivery) async -> SendResult {
        let request: FittedMessage<HTTPRequest>
        do throws(Refusal) {
            request = try configuration.request(for: item, channel: channel)
        } catch {
            return error.result
        }
        return configuration.result(of: await connection.send(request.message), for: item, now: connection.now()).noting(request.note)
    }
}
