import Dispatch
import Glibc
import Logging
import TidingsCore
import TidingsProvider
import TidingsWaiting

/// The provider of a binding, made again when one of its files has changed: renewed credentials take effect without a restart.
/// The files are those that the provider's settings name, in the catalogue or in the environment.
///
/// A thread of its own reads the files and makes the provider. While a disk is slow, calls go on with the current provider.
/// A change takes effect for calls that begin after the change was read.
///
/// While the provider cannot be made, each of its deliveries ends as misconfigured, with the reason in its attempt.
/// No other provider is held up.
final class ConfiguredProvider: Provider {
    /// The shortest time between two looks at the files.
    static let lookInterval = Duration.seconds(5)

    let name: String
    let channel: Channel
    private let made: Reloaded<any Provider, [String: FileStamp]>
    private let logger: Logger
    private let disk = DispatchQueue(label: "tidings.provider.files")

    /// - Parameter now: the clock that measures ``lookInterval``.
    init(
        _ binding: ProviderBinding, registry: ProviderRegistry, environment: [String: String], logger: Logger,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        name = binding.name
        channel = binding.channel
        self.logger = logger
        let files = registry.files(of: binding, environment: environment)
        made = Reloaded(
            every: Self.lookInterval, now: now, stamp: { FileStamp.all(files) },
            make: { try registry.make(binding, environment: environment) })
        if case .failure(let error) = made.current { Self.report(error, logger) }
    }

    /// The limits of the current provider. While there is none, no provider is called.
    var limits: ProviderLimits { (try? current().get())?.limits ?? Self.unmade }
    var showsBadge: Bool { (try? current().get())?.showsBadge ?? false }
    var isReportedByMessageID: Bool { (try? current().get())?.isReportedByMessageID ?? false }

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
        await (try? made.current.get())?.close()
    }

    /// The provider as of the last look at its files. Begins the next look if it is due, and does not wait for it.
    private func current() -> Result<any Provider, Failure> {
        let current = made.current
        if made.beginsLook() { disk.async { self.look() } }
        return current.mapError { Failure($0) }
    }

    /// Returns when the look that is under way has ended.
    func looked() async { await made.looked() }

    /// Reads the files, and makes the provider again if a file has changed. The replaced provider lives until its calls have ended.
    private func look() {
        switch made.look() {
        case .same: break
        case .renewed:
            logger.notice("a file of a provider's settings has changed: the provider was made again", metadata: ["provider": "\(name)"])
        case .failed(let error): Self.report(error, logger)
        }
    }

    private static func report(_ error: any Error, _ logger: Logger) {
        logger.error("a provider cannot be made; its deliveries end as misconfigured", metadata: ["error": "\(Failure(error).message)"])
    }

    private static func result(of failure: Failure) -> SendResult {
        SendResult(.misconfigured(.misconfigured), detail: failure.message)
    }
}

/// The properties of a file by which a change is noticed.
private struct FileStamp: Equatable {
    let inode: UInt64
    let size: Int64
    let modified: Int64
    let nanoseconds: Int

    /// The stamps of the files that exist.
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
