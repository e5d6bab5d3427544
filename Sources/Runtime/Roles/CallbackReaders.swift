import Dispatch
import Logging
import Synchronization
import TidingsCatalogue
import TidingsCore
package import TidingsProvider
import TidingsStore
import TidingsWaiting

/// The readers of callbacks, made from the active catalogue. A changed binding counts at once, a changed file of a secret within
/// ``lookInterval``.
package final class CallbackReaders: Sendable {
    package enum Lookup: Sendable {
        case reader(any CallbackReader)
        /// The catalogue has no such provider, or the provider takes no callbacks.
        case none
        /// The settings of the reader cannot be read in this process, such as a secret of the environment. The log has the reason.
        case unusable
    }

    /// The longest time for which a reader is used without another look at its secrets.
    static let lookInterval = Duration.seconds(5)

    private struct Made {
        let binding: ProviderBinding
        /// The stamp of the secrets is the time: each look reads them again.
        let reader: Reloaded<Lookup, ContinuousClock.Instant>

        var lookup: Lookup { (try? reader.current.get()) ?? .unusable }
    }

    private let registry: ProviderRegistry
    private let catalogues: CatalogueSource
    private let environment: [String: String]
    private let logger: Logger
    /// By the provider's name. Only names of the catalogue are kept.
    private let made = Mutex<[String: Made]>([:])
    /// Reads files of secrets, because a slow disk must not hold a thread that answers requests.
    private let disk = DispatchQueue(label: "tidings.callbacks.files")

    init(_ registry: ProviderRegistry, catalogues: CatalogueSource, environment: [String: String], logger: Logger) {
        self.registry = registry
        self.catalogues = catalogues
        self.environment = environment
        self.logger = logger
    }

    package func reader(of name: String) async -> Lookup {
        guard let binding = catalogues.current.catalogue.providers[name] else {
            made.withLock { $0[name] = nil }
            return .none
        }
        if let known = made.withLock({ $0[name] }), known.binding == binding {
            // The requests of the next moments use the current reader. Only this one waits for the look.
            if known.reader.beginsLook(), case .failed(let error) = await onDisk({ known.reader.look() }) { report(error) }
            return known.lookup
        }
        let first = await onDisk { Made(binding: binding, reader: self.reloadedReader(of: binding)) }
        if case .failure(let error) = first.reader.current { report(error) }
        return made.withLock { made in
            // Another request may have made the reader meanwhile. A reader that cannot be used replaces none of the same binding.
            if let known = made[name], known.binding == binding, case .failure = first.reader.current { return known.lookup }
            made[name] = first
            return first.lookup
        }
    }

    private func reloadedReader(of binding: ProviderBinding) -> Reloaded<Lookup, ContinuousClock.Instant> {
        Reloaded(
            every: Self.lookInterval, stamp: { .now },
            make: { [registry, environment] in
                try registry.callbackReader(of: binding, environment: environment).map { Lookup.reader($0) } ?? Lookup.none
            })
    }

    private func onDisk<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { (continuation: CheckedContinuation<Value, Never>) in
            disk.async { continuation.resume(returning: work()) }
        }
    }

    private func report(_ error: any Error) {
        logger.error("the reader of a provider's callbacks cannot be made", metadata: ["error": "\(error)"])
    }
}
