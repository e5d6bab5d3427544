import TidingsCatalogue
import TidingsContracts
import TidingsCore
import TidingsPostgres
import TidingsStore
import TidingsTestSupport
import TidingsTimeZones

/// A store on a database of its own, with the decisions of the caller made by the test. No role runs, and nothing asks the broker.
struct StoreScene: Sendable {
    let system: TestSystem
    let store: Store
    let catalogue = CatalogueFile.sealed(.builtIn)
    let zones = TimeZoneDatabase()

    /// Runs the body with a scene. The database is dropped afterwards in any case.
    static func with<Result: Sendable>(_ body: (StoreScene) async throws -> Result) async throws -> Result {
        try await withTestSystem(usesBroker: false) { try await with($0, log: { _ in }, body) }
    }

    /// Runs the body with a scene whose store tells `log` the events of its connections.
    static func logging<Result: Sendable>(
        to log: @escaping @Sendable (PostgresPoolEvent) -> Void, _ body: (StoreScene) async throws -> Result
    ) async throws -> Result {
        try await withTestSystem(usesBroker: false) { try await with($0, log: log, body) }
    }

    /// Runs the body with a scene on a server of its own, whose commits may wait for a standby.
    static func withStandby<Result: Sendable>(_ body: (StoreScene, StandbyServer) async throws -> Result) async throws -> Result {
        try await StandbyServer.with { server in
            let system = try await TestSystem(databaseURL: server.databaseURL, amqpURL: "amqp://127.0.0.1/none")
            return try await with(system, log: { _ in }) { try await body($0, server) }
        }
    }

    private static func with<Result: Sendable>(
        _ system: TestSystem, log: @escaping @Sendable (PostgresPoolEvent) -> Void, _ body: (StoreScene) async throws -> Result
    ) async throws -> Result {
        let store = Store(try PostgresConfiguration(url: system.databaseURL), size: 3, name: "store tests", log: log)
        do {
            try await store.open()
            let result = try await body(StoreScene(system: system, store: store))
            await store.close()
            return result
        } catch {
            await store.close()
            throw error
        }
    }

    private init(system: TestSystem, store: Store) {
        self.system = system
        self.store = store
    }

    func count(_ sql: SQL) async throws -> Int { try await system.count(sql) }
}

// MARK: - Verdicts

extension StoreScene {
    /// The verdict to send at once.
    static func send(_ now: Timestamp) -> Verdict { .send(validUntil: now.adding(.seconds(600))) }

    /// The verdict to wait for an hour.
    static func hold(_ now: Timestamp) -> Verdict { .hold(until: now.adding(.seconds(3_600)), reason: .scheduledFor) }

    /// The verdict to send nothing.
    static func suppress(_: Timestamp) -> Verdict { .notSent(state: .suppressed, reason: .noDevice) }
}

// MARK: - Intake

extension StoreScene {
    /// An intent with a key and a content of its own. The same key with another content is a conflict.
    static func intent(_ key: Int, content: Int = 0) -> DecodedIntent {
        DecodedIntent(
            intent: Intent(
                source: "/tests", id: "event-\(key)", type: "orderUpdate", recipient: "person-\(key)", content: Content(title: "T")),
            idempotencyKey: Digest128(high: 0, low: UInt64(key)), contentHash: Digest128(high: 1, low: UInt64(content)),
            bytesInMessage: 0..<1)
    }

    func claims(_ intents: [DecodedIntent]) -> IntakeClaims { IntakeClaims(intents) { store.clock.nextID() } }

    /// Runs the transaction of an intake as a router does. Each new intent gets one push delivery with this verdict, unless its person is
    /// erased.
    @discardableResult
    func take(_ claims: IntakeClaims, verdict: (Timestamp) -> Verdict = StoreScene.send) async throws -> IntakeResult {
        try await store.intake { intake in
            guard let claimed = try await intake.claim(claims, zones: zones) else { return IntakeResult() }
            var write = IntakeWrite(catalogue: catalogue, refused: [], now: claimed.now)
            for one in claimed.all {
                switch one.standing {
                case _ where claimed.namesErased(one.intent): write.drop(one)
                case .first: write.accept(one, routed: Self.routed(verdict(claimed.now), now: claimed.now))
                case .duplicate: write.countDuplicate()
                case .conflict: write.refuse(Self.conflict(of: one.intent))
                }
            }
            return try await intake.write(write)
        }
    }

    @discardableResult
    func take(_ keys: ClosedRange<Int>, verdict: (Timestamp) -> Verdict = StoreScene.send) async throws -> IntakeResult {
        try await take(claims(keys.map { Self.intent($0) }), verdict: verdict)
    }

    static func routed(_ verdict: Verdict, now: Timestamp) -> RoutedIntent {
        let planned = PlannedDelivery(channel: .push, provider: "phone", verdict: verdict)
        return RoutedIntent(
            decision: Decision(strategy: .all, deliveries: [planned]), category: .transactional, lane: .urgent,
            expiresAt: now.adding(.seconds(86_400)))
    }

    private static func conflict(of intent: Intent) -> RefusedEvent {
        let rejection = Rejection(
            reason: .idempotencyConflict, pointer: "", message: "used before", source: intent.source, eventID: intent.id, type: intent.type,
            raw: [1], contentType: nil, size: 1, sha256: [UInt8](repeating: 1, count: 32), isReplayable: false)
        return RefusedEvent(rejection: rejection, exchange: "e", routingKey: "k", headers: "{}")
    }
}

// MARK: - Release and recovery

extension StoreScene {
    /// Runs the transaction of a releaser. Each due delivery gets this verdict.
    @discardableResult
    func release(
        limit: Int = 100, passingOver strange: Set<DeliveryKey> = [], verdict: (Timestamp) -> Verdict = StoreScene.send
    ) async throws -> ReleaseResult {
        try await store.due.release { release in
            let due = try await release.take(
                .urgent, limit: limit, bytes: 1 << 20, catalogue: catalogue, zones: zones, passingOver: strange)
            let judged = verdict(due.now)
            let judgements = due.all.map { delivery -> [PlannedDelivery] in
                var planned = delivery.planned
                planned.verdict = judged
                return [planned]
            }
            return try await release.write(judgements, of: due, catalogue: catalogue)
        }
    }

    /// Claims packs as a worker that dies before it calls anybody.
    func claim(_ packs: [Pack], worker: String) async throws {
        _ = try await store.outbox.claim(packs, worker: worker, as: ClaimID(store.clock.nextID()))
    }

    /// Runs the transaction that takes packs of dead workers apart. Each delivery is retried, and may have arrived.
    @discardableResult
    func recover(
        passingOver strange: Set<PackID> = [], before deadline: ContinuousClock.Instant = ContinuousClock.now + .seconds(60).patient
    ) async throws -> Int {
        try await store.due.recover { recovery in
            let abandoned = try await recovery.take(limit: 100, passingOver: strange, before: deadline)
            let steps = abandoned.all.map { _ in NextStep.retry(at: abandoned.now, .workerDied, possibleDuplicate: true) }
            return try await recovery.write(steps, of: abandoned)
        }
    }
}
