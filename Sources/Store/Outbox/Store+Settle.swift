import TidingsContracts
import TidingsCore
import TidingsPostgres

extension Store.Outbox {
    /// Writes outcomes. If `worker` still holds a pack, each of its settled deliveries moves to its new place. A late outcome leaves its
    /// attempt. A late outcome also ends the delivery if the provider's answer was definite and no other attempt has begun
    /// (``LateOutcomes``). If the provider took nothing, the guess of a releaser is corrected (``NothingTaken``).
    ///
    /// Running it twice with the same settlements is harmless, because the deliveries have left the pack before the second run.
    public func settle(_ packs: [PackSettlement], worker: String) async throws {
        let settlements = packs.flatMap(\.settlements)
        guard !settlements.isEmpty else { return }
        let before = [AttemptRows(packs, worker: worker).insert, MessageReferences(packs).insert].compactMap { $0 }
        let after = [EndpointsGone(settlements).update].compactMap { $0 }
        let ends = settlements.compactMap(EscalationStep.init)
        guard !ends.isEmpty else {
            let late = try await settle(packs, worker: worker, before: before, after: after) { try await pool.send($0) }
            guard !late.isEmpty else { return }
            return try await pool.transaction(retryAmbiguous: true) { transaction in
                try await record(late, worker: worker, in: transaction)
            }
        }
        try await pool.transaction(retryAmbiguous: true) { transaction in
            let late = try await settle(packs, worker: worker, before: before, after: after) { try await transaction.send($0) }
            try await record(late, worker: worker, in: transaction)
            try await escalate(ends, in: transaction)
        }
    }

    private func record(_ late: [LateSettlement], worker: String, in transaction: PostgresTransaction) async throws {
        try await record(LateOutcomes(late, worker: worker), in: transaction)
        if let correction = NothingTaken(late, worker: worker).correct { _ = try await transaction.query(correction) }
    }

    private typealias Run = (_ trip: RoundTrip) async throws -> Answers

    /// Settles most packs whole, by one statement for all of them. A pack that is only partly settled, or that differs from the worker's
    /// view, is settled member by member. Returns the outcomes whose deliveries had left their pack.
    private func settle(
        _ packs: [PackSettlement], worker: String, before: [SQL], after: [SQL], by run: Run
    ) async throws -> [LateSettlement] {
        let last = packs.filter(\.isLast)
        var rest = packs.filter { !$0.isLast }
        var trip = RoundTrip(running: before)
        if !last.isEmpty {
            let closing = trip.ask(SettledPacks(last, worker: worker).close)
            let closed = Set(try await run(trip)[closing])
            rest += last.filter { !closed.contains($0.pack.id) }
            trip = RoundTrip()
        }
        let members = SettledMembers(rest, worker: worker)
        if !members.isEmpty { trip.run(members.lock) }
        let settling = members.isEmpty ? nil : trip.ask(members.settle)
        trip.run(after)
        guard !trip.isEmpty else { return [] }
        let found = try await run(trip)
        guard let settling else { return [] }
        let settled = Set(try found[settling])
        return rest.flatMap { one in
            one.settlements.map { LateSettlement(pack: one.pack, claimedAt: one.claimedAt, settlement: $0) }
        }
        .filter { !settled.contains(PlaceInPack(pack: $0.pack.id, delivery: $0.settlement.entry.key)) }
    }
}
