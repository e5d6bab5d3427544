import TidingsCatalogue
import TidingsContracts
import TidingsCore
import TidingsProvider
import TidingsStore

/// The settlements of deliveries. This file reads clock, randomness and policy. `Conclusion.swift` decides with them.
extension ProviderWorker {
    /// The settlements of a call.
    func conclude(_ call: SentCall) -> [Settlement] {
        call.entries.enumerated().map { position, entry in
            Settlement(
                of: entry, after: call.result(at: position), startedAt: call.startedAt, finishedAt: call.finishedAt,
                policy: catalogues.current.catalogue.policy(for: entry.category), random: store.clock.randomFraction(),
                isReportedByMessageID: provider.isReportedByMessageID)
        }
    }

    /// The settlement of a delivery that was not sent.
    func conclude(_ entry: PackEntry, _ unsent: Unsent) -> Settlement {
        Settlement(of: entry, notSent: unsent, now: store.clock.now())
    }
}
