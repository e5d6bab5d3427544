public import Logging
import TidingsCatalogue
import TidingsContracts
import TidingsCore
import TidingsMetrics
public import TidingsProvider
public import TidingsStore

/// Delivers the packs of one provider and lane, step by step. Each step is a file of this folder:
///
///     receive → claim → admit → send → conclude → settle
///
/// - receive: ``PackReceiver`` reads packs off their queue, a batch at a time. A batch waits for memory and for the provider before the
///   claim, because a claimed pack must not wait.
/// - claim: one commit makes the packs this worker's for the time of a lease. It comes before the first byte. If this process dies later, a
///   releaser finds the rows and applies the category's policy for unknown outcomes.
/// - admit: the last checks before a call decide which deliveries go now, and why the others do not.
/// - send: the provider is called once for one delivery, or for several of equal content.
/// - conclude: each outcome becomes the next state of its delivery.
/// - settle: ``Settler`` writes the new states, many in one commit.
public struct ProviderWorker: Sendable {
    /// The time after which the messages of a batch still under way are acknowledged, so that one hanging host does not block the queue.
    /// The claim of the batch is committed by then. If the process dies, its lease lets a releaser recover the deliveries.
    package static let patience = Duration.seconds(1)
    /// The time that an outcome waits for others of its pack before it is written.
    package static let gathering = Duration.milliseconds(20)

    let store: Store
    let catalogues: CatalogueSource
    let provider: any Provider
    let receiver: PackReceiver
    let gate: SendGate
    let budget: PackBudget
    let settler: Settler
    let meters: DeliveryMeters
    let calls: CallMeters
    let worker: String
    let logger: Logger

    public init(
        store: Store, catalogues: CatalogueSource, provider: any Provider, gate: SendGate, budget: PackBudget, receiver: PackReceiver,
        meters: DeliveryMeters, calls: CallMeters, worker: String, logger: Logger
    ) {
        self.store = store
        self.catalogues = catalogues
        self.provider = provider
        self.receiver = receiver
        self.gate = gate
        self.budget = budget
        self.meters = meters
        self.calls = calls
        self.worker = worker
        self.logger = logger
        settler = Settler(meters: meters, logger: logger) { try await store.outbox.settle($0, worker: worker) }
    }

    /// Runs until the consumer is stopped, then waits for the deliveries that are out.
    public func run() async {
        let outstanding = Outstanding()
        let memory = budget.line()
        await receiver.run { batch in
            // The room is that of a provider that may be slow, paused or away.
            let share = await ProgressWork.resting { await memory.reserve(for: batch) }
            await mayHang(.claim)
            let packs = try await claim(batch)
            // The packs are watched by themselves.
            await ProgressWork.resting {
                await outstanding.run(waitingAtMost: Self.patience) {
                    defer { share.end() }
                    await withDiscardingTaskGroup { group in
                        // Each pack settles by itself: a pack with a slow host holds up none of its neighbours.
                        for pack in packs {
                            group.addTask { await receiver.progress.during("packs of \(provider.name)") { await deliver(pack) } }
                        }
                    }
                }
            }
        }
        await outstanding.drain()
    }

    private enum Event: Sendable {
        case concluded([Settlement])
        /// The first outcome that is not written yet has waited for ``gathering``.
        case gatheringEnded
    }

    /// Delivers a claimed pack. Outcomes that come together are written together. An outcome that comes early waits for no late one.
    private func deliver(_ pack: ClaimedPack) async {
        await withTaskGroup(of: Event.self) { group in
            // A task for each call, because each waits for the network by itself. ``PackBudget`` bounds the packs of all workers,
            // ``Outstanding`` the batches of this worker, and the gate the calls that are out.
            for call in pack.calls { group.addTask { .concluded(await perform(call)) } }
            var open = pack.calls.reduce(0) { $0 + $1.entries.count }
            var ready: [Settlement] = []
            for await event in group {
                switch event {
                case .concluded(let settlements):
                    open -= settlements.count
                    if ready.isEmpty, open > 0 {
                        // Ends by itself, or is cancelled with the last outcome.
                        group.addTask {
                            try? await Task.sleep(for: Self.gathering)
                            return .gatheringEnded
                        }
                    }
                    ready += settlements
                    guard open == 0 else { continue }
                    group.cancelAll()
                case .gatheringEnded: break
                }
                if !ready.isEmpty {
                    await settler.settle(PackSettlement(pack.pack, ready, claimedAt: pack.claimedAt, isLast: open == 0))
                }
                ready = []
            }
        }
    }

    /// One call with the steps around it. Returns a settlement for each entry.
    private func perform(_ call: Call) async -> [Settlement] {
        switch await admit(call) {
        case .refused(let settlements): return settlements
        case .admitted(let admission): return await admission.unsent + conclude(send(admission))
        }
    }
}
