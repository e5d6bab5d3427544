import TidingsContracts
import TidingsCore
import TidingsStore

@testable import TidingsAMQP

extension Pack {
    /// A pack whose id ends in this number, with deliveries to as many people.
    static func sample(_ number: Int, deliveries: Int = 1) -> Pack {
        let time = Timestamp(seconds: 1_790_000_000)
        let entries = (1...deliveries).map { delivery in
            PackEntry(
                header: DeliveryHeader(
                    notificationID: NotificationID(
                        high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0000 | UInt64(number * 1_000 + delivery)),
                    ordinal: 0, attempt: 1, tenant: "default", recipient: "user-\(delivery)", type: "metadata", category: .system,
                    createdAt: time, expiresAt: .distantFuture),
                decidedAt: time, validUntil: time)
        }
        return Pack(
            id: PackID(high: 0x0190_0000_0000_7abc, low: 0x8000_0000_0000_0000 | UInt64(number)), channel: .webhook, provider: "w",
            lane: .urgent, entries: entries)
    }

    /// The number of a sample.
    var number: Int { Int(id.low & 0xFFFF) }
}

extension PackSettlement {
    /// The outcomes of a whole pack, each of them accepted by the provider.
    static func sample(_ number: Int, deliveries: Int = 1) -> PackSettlement {
        let pack = Pack.sample(number, deliveries: deliveries)
        return PackSettlement(
            pack, pack.entries.map { Settlement($0, exit: .ended(.sent, .accepted)) }, claimedAt: Timestamp(seconds: 1_790_000_000),
            isLast: true)
    }
}

extension AMQPMessage {
    /// A message of the queue `q`.
    static func sample(_ tag: UInt64, body: [UInt8] = [], headers: [String: AMQPValue] = [:]) -> AMQPMessage {
        var properties = MessageProperties()
        properties.headers = headers
        let envelope = Delivery.Envelope(consumerTag: "t", tag: tag, redelivered: false, exchange: "e", routingKey: "k")
        return AMQPMessage(
            Delivery(envelope: envelope, properties: properties, body: body, isBodyTruncated: false), generation: 1, queue: "q")
    }
}
