import TidingsContracts
import TidingsCore
import TidingsPostgres
import TidingsStore

/// Inboxes of the scene's people. Entries come through the transaction of an intake, as from a router.
extension StoreScene {
    static func person(_ name: String) -> RecipientKey { RecipientKey(tenant: "default", id: name) }

    /// Puts a new entry into the inbox of `person`, and returns its id.
    @discardableResult
    func deliver(to person: RecipientKey, _ content: Content = Content(title: "T"), scheduledFor: Timestamp? = nil) async throws
        -> NotificationID
    {
        var intent = Intent(
            tenant: person.tenant, source: "/tests", id: "e", type: "orderUpdate", recipient: person.id, content: content)
        intent.scheduledFor = scheduledFor
        let id = store.clock.nextID()
        let key = Digest128(high: id.high, low: id.low)
        let decoded = DecodedIntent(intent: intent, idempotencyKey: key, contentHash: key, bytesInMessage: 0..<1)
        _ = try await store.intake { intake in
            guard let claimed = try await intake.claim(IntakeClaims([decoded]) { id }, zones: zones) else { return IntakeResult() }
            var write = IntakeWrite(catalogue: catalogue, refused: [], now: claimed.now)
            for one in claimed.all { write.accept(one, routed: Self.inApp(now: claimed.now)) }
            return try await intake.write(write)
        }
        return id
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
    func shiftClock(by shift: Duration) async throws { try await store.shiftClock(by: shift) }

    /// The ids of every entry of the listing, page by page.
    func listing(of person: RecipientKey, limit: Int) async throws -> [NotificationID] {
        var ids: [NotificationID] = []
        var start: InboxCursor?
        while true {
            let page = try await store.inboxPage(of: person, limit: limit, from: .cursor(start))
            ids += page.items.map(\.id)
            guard let next = page.next else { return ids }
            start = next
        }
    }
}
