import TidingsContracts
import TidingsCore
import TidingsPostgres

@testable import TidingsStore

/// Packs, which a worker claims and settles, and the SQL outbox.
extension StatementCall {
    static let outbox: [StatementCall] = [
        StatementCall("claim") { _ = try await $0.claim([Samples.pack()], worker: "worker", as: Samples.claim) },
        StatementCall("claim") { _ = try await $0.claim([Samples.pack()], worker: "worker", as: Samples.claim, badges: true) },
        StatementCall("changed") { _ = try await $0.changed([Samples.entry()]) },
        StatementCall("markConfirmed") { try await $0.markConfirmed([Samples.id]) },
        StatementCall("settle") { try await $0.settle([Samples.settled(isLast: true)], worker: "worker") },
        StatementCall("settle") { try await $0.settle([Samples.settled(isLast: false)], worker: "worker") },
        // The pack belongs to the worker no longer, so the outcomes are late.
        StatementCall("settle") { try await $0.settle([Samples.settled(Samples.other, isLast: true)], worker: "worker") },
        StatementCall("settle") { store in
            let packs = [
                Samples.settled(isLast: true, escalates: true), Samples.settled(Samples.other, isLast: true, escalates: true),
            ]
            try await store.settle(packs, worker: "worker")
        },
        StatementCall("deliverToInbox") { store in
            _ = try await store.deliverToInbox([Samples.pack(on: .inApp)], pauses: Samples.pauses)
        },
        StatementCall("deliverToInbox") { store in
            _ = try await store.deliverToInbox([Samples.pack(of: [Samples.entry(escalates: true)], on: .inApp)], pauses: .none)
        },
        StatementCall("resumeEscalations") { _ = try await $0.resumeEscalations() },
        // The later channels had been closed, so they wait again.
        StatementCall("resumeEscalations", with: ["reason": "escalationNotNeeded"]) { _ = try await $0.resumeEscalations() },
        StatementCall("outbox") { _ = try await $0.outbox() },
        StatementCall("outboxLevel") { _ = try await $0.outboxLevel() },
        StatementCall("enqueued") { _ = try await $0.enqueued("e") },
        StatementCall("claimOutbox") { store in
            _ = try await store.claimOutbox(.fresh, relay: Samples.id, after: nil, limit: 100, bytes: 1 << 20)
        },
        StatementCall("claimOutbox") { store in
            let position = OutboxPosition(attempts: 11, createdAt: Samples.now.timestamptz, id: Samples.uuid)
            _ = try await store.claimOutbox(.refused, relay: Samples.id, after: position, limit: 1, bytes: 1)
        },
        StatementCall("settleOutbox") { store in
            let event = EnqueuedEvent(rowID: Samples.uuid, type: Samples.type, event: "{}", producer: nil)
            try await store.settleOutbox(confirmed: [event], refused: [event])
        },
        StatementCall("releaseOutbox") { try await $0.releaseOutbox(relay: Samples.id) },
    ]
}
