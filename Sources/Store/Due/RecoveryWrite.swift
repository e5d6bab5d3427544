import TidingsCore
import TidingsPostgres

/// The rows of a recovery: for each abandoned delivery an attempt with an unknown outcome, and the row in which it waits or has ended.
struct RecoveryWrite {
    private let now: Timestamp
    private var ended = EndedRows()
    private var due = DueRows()
    private var tally = TallyRows()
    private var attempts: [(delivery: AbandonedDelivery, possibleDuplicate: Bool)] = []
    private(set) var ends: [EscalationStep] = []

    init(now: Timestamp) {
        self.now = now
    }

    /// - Parameter step: the step after an unknown outcome. `nextStep` never answers `failOver` to that: a delivery that may have been sent
    ///   stays with its provider.
    mutating func take(_ delivery: AbandonedDelivery, _ step: NextStep) {
        switch step {
        case .retry(let later, let reason, let possibleDuplicate):
            attempts.append((delivery, possibleDuplicate))
            // The first recovery is due now, because the lease already took time. From the second on, the deliveries are spread over time:
            // if one of them crashes its worker, the others end up in other packs.
            due.add(
                delivery.key.notificationID, ordinal: delivery.key.ordinal, lane: delivery.lane, at: delivery.attempt == 1 ? now : later,
                kind: .recover, tenant: delivery.tenant, channel: delivery.channel, provider: delivery.provider,
                endpoint: delivery.endpoint, attempt: delivery.attempt + 1, reason: reason)
        case .settle(let state, let reason): end(delivery, state, reason)
        case .failOver(let reason): end(delivery, .failed, reason)
        }
    }

    private mutating func end(_ delivery: AbandonedDelivery, _ state: DeliveryState, _ reason: ReasonCode) {
        attempts.append((delivery, false))
        ended.add(
            delivery.key.notificationID, ordinal: delivery.key.ordinal, tenant: delivery.tenant, channel: delivery.channel,
            provider: delivery.provider, endpoint: delivery.endpoint, state: state, reason: reason, attempts: delivery.attempt)
        tally.addEnded(tenant: delivery.tenant, channel: delivery.channel, state: state, reason: reason)
        if delivery.escalates { ends.append(EscalationStep(delivery.key)) }
    }

    var statements: [SQL] { [attemptsInsert, ended.insert, due.insert, tally.insert].compactMap { $0 } }

    private var attemptsInsert: SQL {
        let all = attempts.map(\.delivery)
        return """
            insert into tidings.attempts (notification_id, ordinal, attempt, channel, provider, outcome, reason, possible_duplicate,
                idempotency_key, worker, started_at, finished_at)
            select notification_id, ordinal, attempt, channel, provider, 'unknown', 'workerDied', possible_duplicate, idempotency_key, worker,
                started_at, \(now.timestamptz)
            from unnest(\(all.map(\.key.notificationID).uuids), \(all.map { Int16($0.key.ordinal) }), \(all.map { Int16($0.attempt) }),
                \(all.map(\.channel.rawValue)), \(all.map(\.provider)), \(attempts.map(\.possibleDuplicate)), \(all.map(\.key.idempotencyKey)),
                \(all.map(\.worker)), \(all.map(\.claimedAt.timestamptz)))
                as left_behind(notification_id, ordinal, attempt, channel, provider, possible_duplicate, idempotency_key, worker, started_at)
            """
    }
}
