import TidingsCatalogue
import TidingsContracts
import TidingsCore
import TidingsPostgres
import TidingsTimeZones

@testable import TidingsStore

/// Arguments of calls. A made-up row has the same ids and names, so that the store takes it for an answer about them.
enum Samples {
    /// The id in every made-up row.
    static let uuid = PostgresUUID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0007)
    static let id = NotificationID(uuid)
    static let other = NotificationID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0008)
    static let digest = Digest128(uuid)
    static let otherDigest = Digest128(high: 1, low: 1)
    static let key = DeliveryKey(id, 0)
    static let otherKey = DeliveryKey(other, 0)
    static let claim = ClaimID(other)

    /// The text in every column that has no usual one.
    static let text = "text"
    static let person = RecipientKey(tenant: "t", id: "p")
    static let device = "device"
    static let provider = "phone"
    static let type = "orderUpdate"
    static let caller = "caller"
    static let requestKey = "key"
    static let reference = "reference"
    /// An event that names the person alone. It is also the value of every column of bytes.
    static let event = Array(#"{"data":{"recipient":"p","tenant":"t"}}"#.utf8)
    static let eventForTwo = Array(#"{"data":{"recipients":["p","q"],"tenant":"t"}}"#.utf8)
    static let apiKey = APIKeyText.new()
    static let timeline = PostgresTimeline(system: 1, number: 1)

    static let now = DatabaseClock.local()
    static let retention = Duration.seconds(30 * 86_400)
    static let zones = TimeZoneDatabase()

    static let settings = DeviceSettings(
        platform: .ios, provider: provider, environment: .sandbox, permission: .authorized, market: .some("default"), timeZone: "UTC",
        locale: "en", appVersion: "1")
    static let worker = WorkerIdentity(role: "deliver", host: "host", pid: 1, version: "1", instance: "a")
    static let callerKey = CallerKey(id: apiKey.id, name: "key", tenant: nil, scopes: [.intentsWrite])
    static let pauses = Pauses([Pause(id: 1, scope: .channel, name: "push", until: now.adding(.seconds(60)))])
}

// MARK: - Intents

extension Samples {
    static func intent(_ key: Digest128 = Samples.digest, content: Digest128 = Samples.digest) -> DecodedIntent {
        DecodedIntent(
            intent: Intent(
                tenant: person.tenant, source: "/tests", id: "e", type: type, recipient: person.id,
                content: Content(title: "T", body: "B", imageURL: "https://example.com/i", groupKey: "g", collapseKey: "c")),
            idempotencyKey: key, contentHash: content, bytesInMessage: 0..<1)
    }

    /// A refused event with every member that a row has.
    static var refused: RefusedEvent {
        var rejection = Rejection(
            reason: .unknownType, pointer: "/type", message: "m", source: "/tests", eventID: "e", type: type, tenant: person.tenant,
            raw: eventForTwo, contentType: "application/json", size: eventForTwo.count, sha256: [UInt8](repeating: 1, count: 32),
            isReplayable: true)
        rejection.recipientIDs = ["p", "q"]
        return RefusedEvent(rejection: rejection, exchange: "e", routingKey: "k", headers: "{}", producer: "u")
    }

    static let published = PublishedEvent(source: "/tests", id: "e", since: now, intents: [intent()])

    /// A decision with a delivery of each verdict, so that a notification gets rows in every table. The inbox entry needs no pack.
    static func routed(at now: Timestamp, projection: String? = nil) -> RoutedIntent {
        let inApp = PlannedDelivery(channel: .inApp, provider: "inbox", verdict: .send(validUntil: now.adding(.seconds(600))))
        let pushes = verdicts(at: now).map { PlannedDelivery(channel: .push, provider: provider, endpoint: device, verdict: $0) }
        return RoutedIntent(
            decision: Decision(strategy: .all, deliveries: [inApp] + pushes), category: .transactional, lane: .bulk,
            expiresAt: now.adding(.seconds(86_400)), projection: projection)
    }

    static func verdicts(at now: Timestamp) -> [Verdict] {
        let later = now.adding(.seconds(600))
        return [
            .send(validUntil: later), .hold(until: later, reason: .quietHours), .paused(by: 1, lookAgain: later), .awaitEscalation,
            .notSent(state: .suppressed, reason: .noDevice),
        ]
    }
}

// MARK: - Packs

extension Samples {
    static func entry(_ ordinal: Int = 0, escalates: Bool = false) -> PackEntry {
        PackEntry(
            header: DeliveryHeader(
                notificationID: id, ordinal: ordinal, attempt: 1, tenant: person.tenant, recipient: person.id, type: type,
                category: .transactional, createdAt: now, expiresAt: now),
            content: Content(title: "T", body: "B"), endpoint: device, decidedAt: now, validUntil: now, escalates: escalates)
    }

    static func pack(of entries: [PackEntry] = [Samples.entry()], as id: PackID = Samples.id, on channel: Channel = .push) -> Pack {
        Pack(id: id, channel: channel, provider: provider, lane: .bulk, entries: entries)
    }

    /// A settlement of a pack with each way in which a delivery leaves it.
    ///
    /// - Parameter id: that of a made-up row, or another one. The deliveries of another pack have left it already: their outcomes are late.
    static func settled(_ id: PackID = Samples.id, isLast: Bool, escalates: Bool = false) -> PackSettlement {
        let entries = (0..<4).map { entry($0, escalates: escalates) }
        let settlements = [
            Settlement(
                entries[0], exit: .ended(.sent, .accepted), providerMessageID: "m", isReportedByMessageID: true,
                attempt: attempt("accepted", .accepted)),
            Settlement(
                entries[1], exit: .ended(.failed, .endpointGone), attempt: attempt("endpointGone", .endpointGone), endpointGoneAt: now),
            Settlement(
                entries[2], exit: .waiting(until: now, kind: .retry, attempt: 2, .providerUnavailable),
                attempt: attempt("retry", .providerUnavailable)),
            Settlement(entries[3], exit: .waiting(until: now, kind: .retry, attempt: 1, .leaseExpired)),
        ]
        return PackSettlement(pack(of: entries, as: id), settlements, claimedAt: now, isLast: isLast)
    }

    private static func attempt(_ outcome: String, _ reason: ReasonCode) -> AttemptRecord {
        AttemptRecord(outcome: outcome, reason: reason, status: 200, detail: "d", startedAt: now, finishedAt: now)
    }
}

// MARK: - Catalogues

extension Samples {
    static let catalogue = CatalogueFile.sealed(.builtIn)

    /// A catalogue that lacks a type, a provider and the market of the built-in one, and has a producer.
    static let smaller: Catalogue = {
        var catalogue = Catalogue.builtIn
        catalogue.types["promotion"] = nil
        catalogue.providers["webhook"] = nil
        catalogue.markets = ["other": Market(name: "other", providers: [.inApp: ["inbox"]])]
        catalogue.defaultMarket = "other"
        catalogue.producers = ["u": ProducerEntry(tenants: ["t"])]
        return CatalogueFile.sealed(catalogue)
    }()
}

/// A module that keeps no table. It is told of the person in a notification of somebody else.
struct SampleModule: Projection {
    let name = "sample"

    func statements(for intents: [ProjectedIntent]) -> [SQL] { ["select \(Int64(intents.count))"] }

    func forgetMentions(of person: RecipientKey, limit: Int64) -> SQL? {
        "select 'visits', \(person.id), array[\(Samples.uuid)], '/tests', 'e' limit \(limit)"
    }
}
