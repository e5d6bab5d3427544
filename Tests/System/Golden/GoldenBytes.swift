import TidingsCore
import TidingsProvider

@testable import ProviderAPNs
@testable import ProviderAirship
@testable import ProviderBraze
@testable import ProviderFCM
@testable import ProviderWebPush
@testable import ProviderWebhook
@testable import TidingsCatalogue
@testable import TidingsContracts
@testable import TidingsPipeline
@testable import TidingsStore

/// All bytes that Tidings writes to a wire for one event: its packs, and the request of each delivery.
struct GoldenBytes {
    /// Bytes by name, such as `pack`, `apns` or `webhook`, in the order in which they were written.
    private(set) var parts: [(name: String, bytes: [UInt8])] = []

    /// The instant of every decision.
    static let now = Timestamp(rfc3339: "2026-01-15T09:00:00Z") ?? .distantFuture

    private let catalogue: Catalogue
    private let services: GoldenServices

    init(_ event: [UInt8], index: Int, catalogue: CompiledCatalogue, services: GoldenServices) throws {
        self.catalogue = catalogue.catalogue
        self.services = services
        let message = IncomingMessage(body: event, contentType: "application/cloudevents+json")
        let decoded = IntentDecoder(catalogue: catalogue).decode(message, rights: .unrestricted, now: Self.now)
        for rejection in decoded.rejections {
            add("rejection", Array("\(rejection.reason) \(rejection.pointer) \(rejection.message)".utf8))
        }
        for intent in decoded.intents {
            add("identity", Array("\(intent.idempotencyKey) \(intent.contentHash)".utf8))
            try route(intent.intent, index: index)
        }
    }

    private mutating func add(_ name: String, _ bytes: [UInt8]) { parts.append((name, bytes)) }

    private mutating func route(_ intent: Intent, index: Int) throws {
        let facts = Self.facts(of: intent)
        let routed = decide(intent, facts: facts, catalogue: catalogue, pauses: .none, now: Self.now)
        let id = NotificationID(milliseconds: 1_768_467_600_000, fraction: 1, random: UInt64(index))
        var builder = PackBuilder()
        for (ordinal, planned) in routed.decision.deliveries.enumerated() {
            guard case .send(let validUntil) = planned.verdict else { continue }
            let header = DeliveryHeader(
                of: intent, id: id, ordinal: ordinal, attempt: 1, category: routed.category, createdAt: Self.now,
                expiresAt: routed.expiresAt)
            let entry = PackEntry(header, of: intent, planned: planned, routed: routed, decidedAt: Self.now, validUntil: validUntil)
            builder.add(entry, channel: planned.channel, provider: planned.provider, lane: routed.lane)
        }
        var packNumber: UInt64 = 0
        let packs = builder.finish {
            packNumber += 1
            return PackID(milliseconds: 1_768_467_600_000, fraction: 2, random: UInt64(index) << 8 | packNumber)
        }
        for pack in packs {
            let bytes = pack.encode()
            add("pack", bytes)
            let read = try Pack.decode(bytes)
            for entry in read.entries { try send(entry, with: pack.provider, facts) }
        }
    }

    private mutating func send(_ entry: PackEntry, with provider: String, _ facts: RecipientFacts) throws {
        let endpoint = facts.endpoints.first { $0.id == entry.endpoint }
        let address = endpoint.map {
            EndpointAddress(
                address: $0.address, secrets: $0.channel == .webhook ? [GoldenServices.webhookSecret] : [],
                platform: $0.platform?.rawValue, environment: nil)
        }
        let item = OutgoingDelivery(
            entry, address: address, badge: entry.notificationID.low & 1 == 0 ? 3 : nil, type: catalogue.types[entry.type])
        if let request = try services.request(for: item, with: provider) { add(provider, request) }
    }

    /// A person with devices of every platform and a webhook.
    private static func facts(of intent: Intent) -> RecipientFacts {
        let subscription =
            #"{"endpoint":"https://push.example.net/\#(intent.recipient)","keys":{"p256dh":"\#(GoldenServices.browserKey)","auth":"\#(GoldenServices.browserSecret)"}}"#
        return RecipientFacts(
            tenant: intent.tenant, recipient: intent.recipient,
            endpoints: [
                Endpoint(id: "ios", channel: .push, provider: "apns", address: String(repeating: "0a1B2c3D", count: 8), platform: .ios),
                Endpoint(
                    id: "android", channel: .push, provider: "fcm", address: "cXyZ0123:APA91bH-registration_token", platform: .android),
                Endpoint(id: "web", channel: .push, provider: "webpush", address: subscription, platform: .web),
                Endpoint(id: "hook", channel: .webhook, address: "https://example.com/hooks/\(intent.recipient)"),
            ],
            version: 1)
    }
}
