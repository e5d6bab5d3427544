import TidingsCatalogue
import TidingsContracts
import TidingsCore
import TidingsJSON
import TidingsPostgres
import TidingsStore
import TidingsTestSupport
import TidingsTimeZones

@testable import TidingsLikes

/// The likes of people on a database of its own. The test takes the place of a router, and no role runs.
struct LikesScene: Sendable {
    let system: TestSystem
    let store: Store
    let likes: Likes
    private let catalogue = CatalogueFile.sealed(.builtIn)
    private let zones = TimeZoneDatabase()

    static let tenant = Intent.defaultTenant

    /// Runs the body with a scene. The database is dropped afterwards in any case.
    static func with<Result: Sendable>(_ body: (LikesScene) async throws -> Result) async throws -> Result {
        try await withTestSystem(usesBroker: false) { system in
            let store = Store(try PostgresConfiguration(url: system.databaseURL), size: 8, name: "likes tests")
            do {
                try await store.open()
                let result = try await body(LikesScene(system: system, store: store, likes: Likes(store: store)))
                await store.close()
                return result
            } catch {
                await store.close()
                throw error
            }
        }
    }

    func count(_ sql: SQL) async throws -> Int { try await system.count(sql) }

    /// Moves the business clock forward.
    func shiftClock(by interval: String) async throws {
        _ = try await system.query("update tidings.clock_offset set shift = shift + \(interval)::text::interval")
    }
}

// MARK: - Routing

extension LikesScene {
    /// Routes likes in one transaction, as a router does. No delivery follows from them.
    func route(
        _ intents: [Intent], projection: String? = "likes", projections: Projections = Projections([LikesProjection()])
    ) async throws {
        let decoded = intents.map { intent in
            var keys = IntentKey(tenant: intent.tenant, source: intent.source, id: intent.id)
            return DecodedIntent(
                intent: intent, idempotencyKey: keys.key(for: intent.recipient), contentHash: Digest128(high: 1, low: 1),
                bytesInMessage: 0..<1)
        }
        let claims = IntakeClaims(decoded) { store.clock.nextID() }
        _ = try await store.intake { intake in
            guard let claimed = try await intake.claim(claims, zones: zones) else { return IntakeResult() }
            var write = IntakeWrite(catalogue: catalogue, refused: [], now: claimed.now)
            for one in claimed.all {
                write.accept(
                    one,
                    routed: RoutedIntent(
                        decision: Decision(strategy: .all, deliveries: []), category: .social, lane: .bulk,
                        expiresAt: claimed.now.adding(.seconds(60)), projection: projection))
            }
            return try await intake.write(write, projections: projections)
        }
    }

    /// Routes a like of each liker to one person, in this order.
    func like(_ recipient: String, by likers: [String]) async throws {
        try await route(likers.map { Self.intent(to: recipient, data: ["userId": .string($0)]) })
    }

    func like(_ recipient: String, by liker: String) async throws { try await like(recipient, by: [liker]) }

    static func intent(to recipient: String, data: JSON) -> Intent {
        Intent(
            source: "/tests", id: "like-\(UInt64.random(in: .min ... .max))", type: "like", recipient: recipient,
            content: Content(title: "T", data: data.serialized))
    }
}

// MARK: - Reading

extension LikesScene {
    func list(_ recipient: String, _ request: LikesRequest = .latest, limit: Int = Likes.defaultLimit) async throws -> LikesPage {
        try await likes.list(request, of: recipient, tenant: Self.tenant, limit: limit)
    }

    func answer(_ answer: LikeAnswer, of recipient: String, to liker: String) async throws -> LikeAnswerResult {
        try await likes.answer(answer, of: recipient, to: liker, tenant: Self.tenant)
    }

    func status(of liker: String, for recipient: String) async throws -> Like.Status? {
        try await list(recipient, limit: Likes.maximumLimit).likes.first { $0.id == liker }?.status
    }

    /// The events in the SQL outbox, by recipient.
    func outgoing() async throws -> [JSON] {
        try await system.query("select event from tidings.outgoing order by event::json #>> '{data,recipient}'").rows.map {
            try JSON.parse(try $0.decode(String.self))
        }
    }
}
