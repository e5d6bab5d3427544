import Dispatch
import Logging
import Synchronization
import TidingsCatalogue
import TidingsCore
package import TidingsProvider
import TidingsStore

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
        let reader: Lookup
        var at: ContinuousClock.Instant
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
        let now = ContinuousClock.now
        let known = made.withLock { made -> Lookup? in
            guard let known = made[name], known.binding == binding else { return nil }
            if now - known.at < Self.lookInterval { return known.reader }
            // The requests of the next moments use the current reader. Only this one waits for the look.
            made[name]?.at = now
            return nil
        }
        if let known { return known }
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Lookup, ProviderConfigurationError>, Never>) in
            disk.async { continuation.resume(returning: self.make(binding)) }
        }
        return made.withLock { made in
            switch result {
            case .success(let reader): made[name] = Made(binding: binding, reader: reader, at: now)
            case .failure(let error):
                logger.error("the reader of a provider's callbacks cannot be made", metadata: ["error": "\(error)"])
                // Keep a working reader until the files are right again: the files may be half written.
                if made[name]?.binding != binding { made[name] = Made(binding: binding, reader: .unusable, at: now) }
            }
            return made[name]?.reader ?? .unusable
        }
    }

    private func make(_ binding: ProviderBinding) -> Result<Lookup, ProviderConfigurationError> {
        do throws(ProviderConfigurationError) {
            return .success(try registry.callbackReader(of: binding, environment: environment).map { .reader($0) } ?? .none)
        } catch {
            return .failure(error)
        }
    }
}
