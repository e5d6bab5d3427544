import Glibc
import Logging
import Synchronization
import TidingsCore
import TidingsProvider

/// The provider of a binding, made again when a file that its settings name, in the catalogue or in the environment, has changed: renewed
/// credentials count without a restart.
///
/// While it cannot be made, each of its deliveries ends as misconfigured, with the reason in its attempt, and no other provider is held up.
final class ConfiguredProvider: Provider {
    /// How often the files are looked at, at most.
    static let lookInterval = Duration.seconds(5)

    let name: String
    let channel: Channel
    private let make: @Sendable () throws -> any Provider
    private let files: Set<String>
    private let now: @Sendable () -> ContinuousClock.Instant
    private let logger: Logger
    private let state: Mutex<State>

    private struct State {
        var current: Result<any Provider, Failure>
        var stamps: [String: FileStamp]
        var lookedAt: ContinuousClock.Instant
    }

    /// - Parameter now: what ``lookInterval`` is measured by.
    init(
        _ binding: ProviderBinding, registry: ProviderRegistry, environment: [String: String], logger: Logger,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        name = binding.name
        channel = binding.channel
        self.logger = logger
        self.now = now
        let files = registry.files(of: binding, environment: environment)
        self.files = files
        let make: @Sendable () throws -> any Provider = { try registry.make(binding, environment: environment) }
        self.make = make
        // The files first: a change between the two is seen at the next look.
        let stamps = FileStamp.all(files)
        let current = Result(catching: make).mapError(Failure.init)
        state = Mutex(State(current: current, stamps: stamps, lookedAt: now()))
        if case .failure(let failure) = current { Self.report(failure, logger) }
    }

    /// Of the provider that is there now; none is called while there is none.
    var limits: ProviderLimits { (try? current().get())?.limits ?? Self.unmade }
    var showsBadge: Bool { (try? current().get())?.showsBadge ?? false }

    func host(of item: OutgoingDelivery) -> String? { (try? current().get())?.host(of: item) }

    private static let unmade = ProviderLimits(maximumBodyBytes: 0, maximumConcurrency: 64, sendTimeout: .seconds(1))

    func send(_ item: OutgoingDelivery) async -> SendResult {
        switch current() {
        case .success(let provider): await provider.send(item)
        case .failure(let failure): Self.result(of: failure)
        }
    }

    func send(together items: [OutgoingDelivery]) async -> [SendResult] {
        switch current() {
        case .success(let provider): await provider.send(together: items)
        case .failure(let failure): items.map { _ in Self.result(of: failure) }
        }
    }

    func close() async {
        await (try? current().get())?.close()
    }

    /// The provider as its files are now. One that is replaced ends with the calls that are under way.
    private func current() -> Result<any Provider, Failure> {
        state.withLock { state in
            let now = now()
            guard now - state.lookedAt >= Self.lookInterval else { return state.current }
            state.lookedAt = now
            let stamps = FileStamp.all(files)
            guard stamps != state.stamps else { return state.current }
            state.stamps = stamps
            switch Result(catching: make).mapError(Failure.init) {
            case .success(let provider):
                logger.notice("a file of a provider's settings has changed: made again", metadata: ["provider": "\(name)"])
                state.current = .success(provider)
            case .failure(let failure):
                // What works goes on until the files are right again: they may be half written.
                Self.report(failure, logger)
                if case .failure = state.current { state.current = .failure(failure) }
            }
            return state.current
        }
    }

    private static func report(_ failure: Failure, _ logger: Logger) {
        logger.error("a provider cannot be made; its deliveries end as misconfigured", metadata: ["error": "\(failure.message)"])
    }

    private static func result(of failure: Failure) -> SendResult {
        SendResult(.misconfigured(.misconfigured), detail: failure.message)
    }
}

/// By what a change of a file shows.
private struct FileStamp: Equatable {
    let inode: UInt64
    let size: Int64
    let modified: Int64
    let nanoseconds: Int

    /// Of each file that is there.
    static func all(_ files: Set<String>) -> [String: FileStamp] {
        var stamps: [String: FileStamp] = [:]
        for path in files { stamps[path] = FileStamp(path) }
        return stamps
    }

    private init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        inode = UInt64(status.st_ino)
        size = Int64(status.st_size)
        modified = Int64(status.st_mtim.tv_sec)
        nanoseconds = status.st_mtim.tv_nsec
    }
}
