import TidingsContracts
import TidingsCore
import TidingsJSON
import TidingsPostgres

/// The rows of one release: ended deliveries, waiting deliveries, packs, decisions and tallies.
struct ReleaseWrite {
    private let catalogue: String
    private let now: Timestamp
    private var ended: [EndedRow] = []
    private var due: [DueRow] = []
    private var builder = PackBuilder()
    private var decisions: [DecisionRow] = []
    private var tally = TallyRows()
    /// The deliveries of escalating notifications that ended here.
    private(set) var ends: [EscalationStep] = []

    init(catalogue: String, now: Timestamp) {
        self.catalogue = catalogue
        self.now = now
    }

    /// Writes the judgement of a delivery. The first planned delivery takes its place. Further ones are new deliveries of its notification,
    /// with the ordinals from `free`.
    mutating func move(_ delivery: WaitingDelivery, to judged: [PlannedDelivery], free: Int?) {
        for (position, planned) in judged.enumerated() {
            let moving = position == 0 ? delivery : free.map { delivery.another($0 + position - 1) }
            if let moving { move(moving, to: planned, mayHaveArrived: delivery.trail.unsure.contains(planned.provider)) }
        }
        tally.add(.planned, judged.count - 1)
    }

    private mutating func move(_ delivery: WaitingDelivery, to judged: PlannedDelivery, mayHaveArrived: Bool) {
        let (row, stored) = (delivery.row, delivery.stored)
        // No new decision is written if the delivery is only sent again, or stays because no other provider can take it.
        let stays = delivery.isWith(judged.provider, at: judged.endpoint)
        var isNews = !(stays && (row.kind == .retry || row.kind == .failover))
        switch judged.verdict {
        case .send(let validUntil):
            builder.add(
                stored.entry(
                    ordinal: row.ordinal, attempt: row.attempt, endpoint: judged.endpoint, decidedAt: now, validUntil: validUntil,
                    standby: judged.standby, mayHaveArrived: mayHaveArrived),
                channel: judged.channel, provider: judged.provider, lane: stored.lane)
        case .hold(let until, let reason):
            // A hold that repeats every few minutes for days is one decision.
            isNews = !(stays && reason == .timeZoneUnknown && reason == row.reason)
            wait(delivery, judged, until: until, kind: .held, reason: reason)
        case .paused(let pause, let time):
            isNews = true
            wait(delivery, judged, until: time, kind: .held, reason: .paused, pause: pause)
        case .awaitEscalation:
            wait(delivery, judged, until: .distantFuture, kind: .escalation, reason: .awaitingEscalation)
        case .notSent(let state, let reason):
            isNews = true
            ended.append(
                EndedRow(
                    id: stored.id, ordinal: row.ordinal, tenant: stored.intent.tenant, channel: judged.channel,
                    provider: judged.provider, endpoint: judged.endpoint, state: state, reason: reason, attempts: row.attempt - 1))
            tally.addEnded(tenant: stored.intent.tenant, channel: judged.channel, state: state, reason: reason)
            if stored.intent.critical { ends.append(EscalationStep(delivery.key)) }
        }
        if isNews {
            decisions.append(
                DecisionRow(
                    id: stored.id, ordinal: row.ordinal, at: now, catalogue: catalogue, planned: judged,
                    move: Move(of: delivery, to: judged)))
        }
    }

    private mutating func wait(
        _ delivery: WaitingDelivery, _ judged: PlannedDelivery, until: Timestamp, kind: DueKind, reason: ReasonCode, pause: Int? = nil
    ) {
        due.append(delivery.row.waiting(judged, until: until, kind: kind, reason: reason, pause: pause))
    }

    mutating func packs(nextID: () -> PackID) -> [Pack] { builder.finish(nextID: nextID) }

    func statements(_ packs: [Pack]) -> [SQL] {
        [
            EndedRow.insert(ended), DueRow.insert(due), PackRow.insert(packs: packs, decidedAt: now), DecisionRow.insert(decisions),
            tally.insert,
        ].compactMap { $0 }
    }
}

/// The provider that a delivery leaves, and the reason.
struct Move: Sendable {
    /// Empty for an operator's retry, because earlier failures then no longer count.
    let provider: String
    let because: ReasonCode

    /// Nil if the delivery stays or ends.
    init?(of delivery: WaitingDelivery, to judged: PlannedDelivery) {
        let row = delivery.row
        because = row.reason
        switch row.kind {
        case .failover where judged.verdict.isOpen && !isSameText(judged.provider, row.provider): provider = row.provider
        case .again: provider = Move.anew
        case .held, .retry, .recover, .escalation, .failover: return nil
        }
    }

    private static let anew = ""

    /// Returns the moves of a delivery that count, in order: those since the operator's last retry, if there was one.
    static func counting(_ moves: [Trail.Step]) -> ArraySlice<Trail.Step> {
        moves.suffix(while: { !$0.provider.isEmpty })
    }
}

extension WaitingDelivery {
    /// Whether the delivery is for this provider and this endpoint.
    fileprivate func isWith(_ provider: String, at endpoint: String?) -> Bool {
        guard isSameText(provider, row.provider) else { return false }
        guard let endpoint, let own = row.endpoint else { return endpoint == nil && row.endpoint == nil }
        return isSameText(endpoint, own)
    }
}

extension Array {
    /// The longest end whose elements all satisfy a condition.
    fileprivate func suffix(while isIn: (Element) -> Bool) -> ArraySlice<Element> {
        self[(lastIndex { !isIn($0) }.map { $0 + 1 } ?? startIndex)...]
    }
}

/// A row of `tidings.decisions`: a decision made after the first.
struct DecisionRow: TableRow {
    let id: NotificationID
    let ordinal: Int
    let at: Timestamp
    /// The hash of the catalogue.
    let catalogue: String
    let planned: PlannedDelivery
    /// Nil if the delivery stays with its provider.
    let move: Move?

    static let table = Table<DecisionRow>(
        "tidings.decisions",
        personal: [Column("decision") { DecisionText.encode($0.planned) }],
        other: [
            Column("notification_id", \.id), Column(smallint: "ordinal", \.ordinal), Column("at", \.at), Column("catalogue", \.catalogue),
            Column("moved_from") { $0.move?.provider }, Column("moved_because") { $0.move?.because.rawValue },
        ])
}
