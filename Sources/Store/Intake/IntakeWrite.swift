import TidingsContracts
public import TidingsCore
import TidingsPostgres

/// The rows of a batch of intents, collected one by one. The notifications are written by COPY, the other rows in one pipeline.
public struct IntakeWrite: Sendable {
    private(set) var result = IntakeResult()
    private let catalogue: Catalogue
    private let now: Timestamp
    private(set) var notifications = NotificationRows()
    private var inbox: [InboxRow] = []
    private var ended: [EndedRow] = []
    private var due: [DueRow] = []
    private var packs = PackBuilder()
    private let erased: Set<RecipientKey>
    private var refused: [RefusedEvent] = []
    private var dropped = DroppedIntents()
    private var tally = TallyRows()
    /// By the name of the projection.
    private(set) var projected: [String: [ProjectedIntent]] = [:]

    /// - Parameters:
    ///   - refused: the events that were refused before anything was claimed.
    ///   - erased: erased people, of whom no refused event may tell.
    public init(catalogue: Catalogue, refused: [RefusedEvent], erased: Set<RecipientKey> = [], now: Timestamp) {
        self.catalogue = catalogue
        self.now = now
        self.erased = erased
        for event in refused { refuse(event) }
    }

    /// Counts an intent that exists already.
    public mutating func countDuplicate() {
        result.duplicates += 1
        tally.add(.taken)
        tally.add(.duplicate)
    }

    /// Drops an intent that names an erased person. It claimed its key, so that a repetition of it is a duplicate.
    public mutating func drop(_ claimed: ClaimedIntent) {
        switch claimed.standing {
        case .duplicate:
            countDuplicate()
            dropped.add(claimed.claim, isNew: false)
        case .first, .conflict:
            result.erased += 1
            tally.add(.taken)
            tally.addErased()
            dropped.add(claimed.claim, isNew: claimed.standing.isFirst)
        }
    }

    /// Keeps an event whose intent is refused. Erased people are left out, and an event that names only them is counted and not kept. The
    /// ids that were promised for them are answered as erased.
    public mutating func refuse(_ event: RefusedEvent) {
        for key in event.keys(of: erased) { dropped.add(refused: key) }
        if let kept = event.without(erased) { refused.append(kept) }
        countRejected(event.rejection.recipients)
    }

    private mutating func countRejected(_ recipients: Int) {
        result.rejected += recipients
        tally.add(.taken, recipients)
        tally.add(.rejected, recipients)
    }

    /// Records a new notification and puts each of its deliveries in its place: ended, due, or in a pack.
    public mutating func accept(_ claimed: ClaimedIntent, routed: RoutedIntent) {
        let claim = claimed.claim
        result.accepted += 1
        tally.add(.taken)
        tally.add(.accepted)
        tally.add(.planned, routed.decision.deliveries.count)
        notifications.add(claim, routed: routed, catalogue: catalogue.hash, now: now)
        let intent = claim.decoded.intent
        if let projection = routed.projection {
            projected[projection, default: []].append(ProjectedIntent(id: claim.id, intent: intent, acceptedAt: now))
            result.projected.append(ProjectedPerson(projection: projection, tenant: intent.tenant, recipient: intent.recipient))
        }
        for (ordinal, planned) in routed.decision.deliveries.enumerated() {
            let header = DeliveryHeader(
                of: intent, id: claim.id, ordinal: ordinal, attempt: 1, category: routed.category, createdAt: now,
                expiresAt: routed.expiresAt)
            switch planned.verdict {
            case .send where isForTheInbox(planned, of: routed.decision):
                inbox.append(InboxRow(claim.id, intent, category: routed.category, at: now))
                end(header, planned, .delivered, .delivered, attempts: 1)
            case .send(let validUntil):
                let entry = PackEntry(header, of: intent, planned: planned, routed: routed, decidedAt: now, validUntil: validUntil)
                packs.add(entry, channel: planned.channel, provider: planned.provider, lane: routed.lane)
            case .hold(let until, let reason):
                wait(header, planned, routed.lane, until: until, kind: .held, reason: reason)
            case .paused(let pause, let time):
                wait(header, planned, routed.lane, until: time, kind: .held, reason: .paused, pause: pause)
            case .awaitEscalation:
                wait(header, planned, routed.lane, until: .distantFuture, kind: .escalation, reason: .awaitingEscalation)
            case .notSent(let state, let reason):
                end(header, planned, state, reason, attempts: 0)
            }
        }
    }

    /// Whether the delivery is an inbox entry that is written together with the notification. Such an entry is a row and calls no provider,
    /// so it needs no pack, no message and no second commit. An inbox entry of an escalation goes through a pack, because the transaction
    /// that ends it must also take the step to the next channel.
    private func isForTheInbox(_ planned: PlannedDelivery, of decision: Decision) -> Bool {
        decision.strategy == .all && planned.channel == .inApp && catalogue.providers[planned.provider]?.kind == ProviderBinding.inboxKind
    }

    private mutating func end(
        _ header: DeliveryHeader, _ planned: PlannedDelivery, _ state: DeliveryState, _ reason: ReasonCode, attempts: Int
    ) {
        ended.append(
            EndedRow(
                id: header.notificationID, ordinal: header.ordinal, tenant: header.tenant, channel: planned.channel,
                provider: planned.provider, endpoint: planned.endpoint, state: state, reason: reason, attempts: attempts))
        tally.addEnded(tenant: header.tenant, channel: planned.channel, state: state, reason: reason)
    }

    private mutating func wait(
        _ header: DeliveryHeader, _ planned: PlannedDelivery, _ lane: Lane, until: Timestamp, kind: DueKind, reason: ReasonCode,
        pause: Int? = nil
    ) {
        due.append(
            DueRow(
                id: header.notificationID, ordinal: header.ordinal, lane: lane, time: until, kind: kind, tenant: header.tenant,
                channel: planned.channel, provider: planned.provider, endpoint: planned.endpoint, attempt: header.attempt, reason: reason,
                pause: pause))
    }

    mutating func finishPacks(nextID: () -> PackID) -> [Pack] {
        result.packs = packs.finish(nextID: nextID)
        result.arrivals = InboxArrivals(inbox.map { EntryKey(tenant: $0.tenant, recipient: $0.recipient, id: $0.id) })
        return result.packs
    }

    func statements(packs: [Pack]) -> [SQL] {
        // Inboxes last: batches of the same people wait for these locks, and hold them until the commit.
        [
            EndedRow.insert(ended), DueRow.insert(due), PackRow.insert(packs: packs, decidedAt: now), RefusedRows(refused).insert,
            dropped.insert, tally.insert, InboxRow.insert(arriving: inbox),
        ].compactMap { $0 }
    }
}

extension PackEntry {
    convenience init(
        _ header: DeliveryHeader, of intent: Intent, planned: PlannedDelivery, routed: RoutedIntent, decidedAt: Timestamp,
        validUntil: Timestamp
    ) {
        self.init(
            header: header, content: intent.content, endpoint: planned.endpoint, decidedAt: decidedAt, validUntil: validUntil,
            escalates: routed.decision.strategy == .escalate, hasStandby: planned.standby != .nobody)
    }
}
