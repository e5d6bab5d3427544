import TidingsContracts
import TidingsCore
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

/// Inboxes of the scene's people. Entries come through the transaction of an intake, as from a router.
extension StoreScene {
    static func person(_ name: String) -> RecipientKey { RecipientKey(tenant: "default", id: name) }

    /// Puts a new entry into the inbox of `person`, and returns its id. With an older `id`, the entry has waited for its time.
    @discardableResult
    func deliver(
        to person: RecipientKey, _ content: Content = Content(title: "T"), scheduledFor: Timestamp? = nil, as id: NotificationID? = nil
    ) async throws -> NotificationID {
        var intent = Self.intent(to: person, content)
        intent.scheduledFor = scheduledFor
        return try await deliver([intent], as: [id ?? store.clock.nextID()])[0]
    }

    /// Puts a new entry into the inbox of each person, in one batch. Returns the ids in the order of the people.
    @discardableResult
    func deliver(toEach people: [RecipientKey]) async throws -> [NotificationID] {
        try await deliver(people.map { Self.intent(to: $0, Content(title: "T")) }, as: people.map { _ in store.clock.nextID() })
    }

    private static func intent(to person: RecipientKey, _ content: Content) -> Intent {
        Intent(tenant: person.tenant, source: "/tests", id: "e", type: "orderUpdate", recipient: person.id, content: content)
    }

    private func deliver(_ intents: [Intent], as ids: [NotificationID]) async throws -> [NotificationID] {
        let decoded = zip(ids, intents).map { id, intent in
            let key = Digest128(high: id.high, low: id.low)
            return DecodedIntent(intent: intent, idempotencyKey: key, contentHash: key, bytesInMessage: 0..<1)
        }
        var unused = ids.makeIterator()
        let claims = IntakeClaims(decoded) { unused.next() ?? ids[0] }
        _ = try await store.intake { intake in
            guard let claimed = try await intake.claim(claims, zones: zones) else { return IntakeResult() }
            var write = IntakeWrite(catalogue: catalogue, refused: [], now: claimed.now)
            for one in claimed.all { write.accept(one, routed: Self.inApp(now: claimed.now)) }
            return try await intake.write(write)
        }
        return ids
    }

    /// Puts new entries into the inbox, the oldest first.
    func deliver(_ count: Int, to person: RecipientKey) async throws -> [NotificationID] {
        var ids: [NotificationID] = []
        for _ in 0..<count { ids.append(try await deliver(to: person)) }
        return ids
    }

    static func inApp(now: Timestamp) -> RoutedIntent {
        let planned = PlannedDelivery(channel: .inApp, provider: "inbox", verdict: send(now))
        return RoutedIntent(
            decision: Decision(strategy: .all, deliveries: [planned]), category: .transactional, lane: .urgent,
            expiresAt: now.adding(.seconds(86_400)))
    }

    /// Moves the business clock, which stood at the real time.
    func shiftClock(by shift: Duration) async throws { try await store.upkeep.shiftClock(by: shift) }

    /// The ids of every entry of the listing, page by page.
    func listing(of person: RecipientKey, limit: Int) async throws -> [NotificationID] {
        var ids: [NotificationID] = []
        var start: InboxCursor?
        while true {
            let page = try await store.inbox.page(of: person, limit: limit, from: .cursor(start))
            ids += page.items.map(\.id)
            guard let next = page.next else { return ids }
            start = next
        }
    }

    /// Each entry of the person with its position, the lowest position first.
    func positions(of person: RecipientKey) async throws -> [(id: NotificationID, position: Int64)] {
        try await system.query(
            """
            select notification_id, position from tidings_ops.inbox
            where tenant = \(person.tenant) and recipient_id = \(person.id) order by position
            """
        ).rows.map { row in
            let (id, position) = try row.decode((NotificationID, Int64).self)
            return (id, position)
        }
    }
}
