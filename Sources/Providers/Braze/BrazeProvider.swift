import Glibc
import TidingsCore
import TidingsProvider

/// Delivers by push through Braze. Braze knows a person by an external user id, which is the delivery's recipient, and keeps the devices
/// itself.
///
/// Sends `POST /messages/send`, one call for up to 50 people. Success means that Braze accepted the message. The answer tells neither
/// whether the person has a device nor whether a device was reached.
///
/// The call has no idempotency key. If an attempt ended without an answer, its retry may deliver the message a second time.
struct BrazeProvider: ConnectedProvider {
    /// The most people in one call.
    static let maximumPeople = 50
    /// In bytes: far more than 50 people with the largest message for each platform. Braze documents no limit for the whole body.
    static let maximumBodyBytes = 256 << 10

    let connection: ServiceConnection
    let channel = Channel.push
    let limits: ProviderLimits
    private let configuration: BrazeConfiguration

    init(_ configuration: BrazeConfiguration, _ connection: ServiceConnection) {
        self.connection = connection
        self.configuration = configuration
        limits = configuration.call.limits(
            maximumBodyBytes: Self.maximumBodyBytes, maximumTogether: configuration.perPerson ? 1 : Self.maximumPeople)
    }

    func send(_ item: OutgoingDelivery) async -> SendResult {
        await send(together: [item])[0]
    }

    /// Sends one call. Every delivery in the call gets the same result.
    func send(together items: [OutgoingDelivery]) async -> [SendResult] {
        guard let first = items.first else { return [] }
        return Array(repeating: await send(first, to: items.map(\.recipient)), count: items.count)
    }

    private func send(_ item: OutgoingDelivery, to people: [String]) async -> SendResult {
        let message: FittedMessage<[UInt8]>
        do throws(Refusal) {
            message = try brazeBody(of: item, to: people, configuration: configuration, now: connection.now())
        } catch {
            return error.result
        }
        let request = configuration.call.request(
            url: configuration.call.endpoint + "/messages/send",
            headers: [("authorization", "Bearer \(configuration.apiKey)"), ("content-type", "application/json")], body: message.message)
        return brazeResult(of: await connection.send(request), now: connection.now()).hiding([configuration.apiKey])
            .noting(message.note)
    }
}
