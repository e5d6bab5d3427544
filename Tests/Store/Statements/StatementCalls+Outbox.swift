import TidingsContracts
import TidingsCore
import TidingsPostgres

@testable import TidingsStore

/// Packs, which a worker claims and settles, and the SQL outbox.
extension StatementCall {
    static let outbox: [StatementCall] = [
        StatementCall("outbox.claim") { _ = try await $0.outbox.claim([Samples.pack()], worker: "worker", as: Samples.claim) },
        StatementCall("outbox.claim") { store in
            _ = try await store.outbox.claim([Samples.pack()], worker: "worker", as: Samples.claim, badges: true)
        },
        StatementCall("outbox.changed") { _ = try await $0.outbox.changed([Samples.entry()]) },
        StatementCall("outbox.markConfirmed") { try await $0.outbox.markConfirmed([Samples.id]) },
        StatementCall("outbox.settle") { try await $0.outbox.settle([Samples.settled(isLast: true)], worker: "worker") },
        StatementCall("outbox.settle") { try await $0.outbox.settle([Samples.settled(isLast: false)], worker: "worker") },
        // The pack belongs to the worker no longer, so the outcomes are late.
        StatementCall("outbox.settle") { try await $0.outbox.settle([Samples.settled(Samples.other, isLast: true)], worker: "worker") },
        StatementCall("outbox.settle") { store in
            let packs = [
                Samples.settled(isLast: true, escalates: true), Samples.settled(Samples.other, isLast: true, escalates: true),
            ]
            try await store.outbox.settle(packs, worker: "worker")
        },
        StatementCall("outbox.deliverToInbox") { store in
            _ = try await store.outbox.deliverToInbox([Samples.pack(on: .inApp)], pauses: Samples.pauses)
        },
        StatementCall("outbox.deliverToInbox") { store in
            _ = try await store.outbox.deliverToInbox([Samples.pack(of: [Samples.entry(escalates: true)], on: .inApp)], pauses: .none)
        },
        StatementCall("outbox.resumeEscalations") { _ = try await $0.outbox.resumeEscalations() },
        // The later channels had been closed, so they wait again.
        StatementCall("outbox.resumeEscalations", with: ["reason": "escalationNotNeeded"]) { _ = try await $0.outbox.resumeEscalations() },
        StatementCall("outbox.row") { _ = try await $0.outbox.row() },
        StatementCall("outbox.level") { _ = try await $0.outbox.level() },
        StatementCall("outbox.enqueued") { _ = try await $0.outbox.enqueued("e") },
        StatementCall("outbox.claimEvents") { store in
            _ = try await store.outbox.claimEvents(.fresh, relay: Samples.id, after: nil, limit: 100, bytes: 1 << 20)
        },
        StatementCall("outbox.claimEvents") { store in
            let position = OutboxPosition(attempts: 11, createdAt: Samples.now.timestamptz, id: Samples.uuid)
            _ = try await store.outbox.claimEvents(.refused, relay: Samples.id, after: position, limit: 1, bytes: 1)
        },
        StatementCall("outbox.settleEvents") { store in
            let event = EnqueuedEvent(rowID: Samples.uuid, type: Samples.type, event: "{}", producer: nil)
            try await store.outbox.settleEvents(confirmed: [event], refused: [event])
        },
        StatementCall("outbox.releaseEvents") { try await $0.outbox.releaseEvents(relay: Samples.id) },
    ]
}
