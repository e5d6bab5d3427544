import Foundation
import Logging
import Synchronization
import Testing
import TidingsCore
import TidingsProvider
import TidingsTestSupport

@testable import TidingsServer

/// Credentials that change while a role runs.
@Suite struct ConfiguredProviderTests {
    /// A setting may name its file in the catalogue, in the environment, or within a line of a longer value.
    @Test(arguments: [
        (["key": "file:FILE"], [:]), ([:], ["TIDINGS_TELLING_KEY": "file:FILE"]), ([:], ["TIDINGS_TELLING_KEY": "  file:FILE \n"]),
        (["lines": "X-One: 1\nX-Two: file:FILE\nX-Three: 3"], ["TIDINGS_TELLING_KEY": "1"]),
        ([:], ["TIDINGS_TELLING_KEY": "1", "TIDINGS_TELLING_LINES": "X-Two: file:FILE"]),
        (["authorities": "FILE"], ["TIDINGS_TELLING_KEY": "1"]),
        ([:], ["TIDINGS_TELLING_KEY": "1", "TIDINGS_TELLING_AUTHORITIES": "FILE"]),
    ])
    func aFileThatChangesCountsWithoutARestart(_ settings: [String: String], _ environment: [String: String]) async throws {
        let file = TemporaryFile("first")
        defer { file.remove() }
        let clock = Clock()
        let provider = Self.provider(
            settings.mapValues(file.named), environment.mapValues(file.named), clock)
        let first = await provider.send(Self.item)
        #expect(await provider.send(Self.item) == first)

        try file.write("the second")
        #expect(await provider.send(Self.item) == first, "the files are not looked at for every send")
        clock.advance(by: ConfiguredProvider.lookInterval)
        await Self.look(provider)
        let second = await provider.send(Self.item)
        #expect(second != first)
        clock.advance(by: ConfiguredProvider.lookInterval)
        await Self.look(provider)
        #expect(await provider.send(Self.item) == second, "made again once for each change")
    }

    @Test func aFileThatIsBrokenChangesNothingUntilItIsWhole() async throws {
        let file = TemporaryFile("first")
        defer { file.remove() }
        let clock = Clock()
        let provider = Self.provider([:], ["TIDINGS_TELLING_KEY": "file:\(file.path)"], clock)
        let first = await provider.send(Self.item)
        try file.write("")
        clock.advance(by: ConfiguredProvider.lookInterval)
        await Self.look(provider)
        #expect(await provider.send(Self.item) == first)
        try file.write("the second")
        clock.advance(by: ConfiguredProvider.lookInterval)
        await Self.look(provider)
        #expect(await provider.send(Self.item) != first)
    }

    /// The test decides when the disk answers: the file is a pipe, and its reader waits for the first written bytes.
    @Test func aSlowDiskDelaysNobody() async throws {
        let (file, pipe) = (TemporaryFile("first"), TemporaryFile(""))
        defer { file.remove() }
        let clock = Clock()
        let provider = Self.provider([:], ["TIDINGS_TELLING_KEY": "file:\(file.path)"], clock)
        let first = await provider.send(Self.item)
        pipe.remove()
        try #require(mkfifo(pipe.path, 0o600) == 0 && rename(pipe.path, file.path) == 0)
        let answers = Mutex<[SendResult]>([])
        let sends = Task {
            for _ in 0..<3 {
                clock.advance(by: ConfiguredProvider.lookInterval)
                let result = await provider.send(Self.item)
                answers.withLock { $0.append(result) }
            }
        }
        // The loop ends long before this deadline, unless a send waits for the disk. After the deadline the disk answers, so that the test
        // can end.
        let deadline = ContinuousClock.now + .seconds(10).patient
        while answers.withLock(\.count) < 3, ContinuousClock.now < deadline { await Task.yield() }
        #expect(answers.withLock(\.self) == [first, first, first])
        // Opening succeeds once the provider's thread waits in its own open. If a writer opened and closed earlier, its bytes would be
        // lost.
        var writer: Int32 = -1
        while writer < 0 {
            await Task.yield()
            writer = open(file.path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
        }
        _ = write(writer, "second", 6)
        close(writer)
        await sends.value
        await provider.looked()
        #expect(await provider.send(Self.item) != first)
    }

    /// A setting in the catalogue takes precedence over the variable. The variable's file is then not watched.
    @Test func onlyTheFileThatIsReadIsWatched() {
        let binding = ProviderBinding(
            name: "one", channel: .push, kind: "telling", settings: ["key": "file:/a", "lines": "A: env:B"], addressing: .person)
        let environment = ["TIDINGS_TELLING_KEY": "file:/b", "TIDINGS_OTHER_KEY": "file:/c", "TIDINGS_TELLING_AUTHORITIES": "/d"]
        let registry = ProviderRegistry([TellingFactory.self])
        #expect(registry.files(of: binding, environment: environment) == ["/a", "/d"])
    }

    private static func provider(_ settings: [String: String], _ environment: [String: String], _ clock: Clock) -> ConfiguredProvider {
        ConfiguredProvider(
            ProviderBinding(name: "one", channel: .push, kind: "telling", settings: settings, addressing: .person),
            registry: ProviderRegistry([TellingFactory.self]), environment: environment,
            logger: Logger(label: "test") { _ in
                SwiftLogNoOpLogHandler()
            }, now: { clock.now })
    }

    /// Makes the provider check its files, and waits until it has done so.
    private static func look(_ provider: ConfiguredProvider) async {
        _ = provider.limits
        await provider.looked()
    }

    private static let item = OutgoingDelivery(
        header: DeliveryHeader(
            notificationID: NotificationID(high: 1, low: 2), ordinal: 0, attempt: 1, tenant: "default", recipient: "ann", type: "t",
            category: .system, createdAt: Timestamp(seconds: 0), expiresAt: nil),
        idempotencyKey: "k")
}

/// A factory that gives each provider a number.
private enum TellingFactory: ProviderFactory {
    static let kind = "telling"
    static let settings = [
        ProviderSetting("key", "A secret.", isSecret: true), ProviderSetting("lines", "Headers."),
        ProviderSetting("authorities", "A file."),
    ]
    private static let made = Mutex(0)

    static func make(
        binding: ProviderBinding, environment: [String: String]
    ) throws(ProviderConfigurationError) -> any Provider {
        let settings = try ProviderSettings(binding, declared: settings, environment: environment)
        _ = try settings.secret("key")
        let number = made.withLock { count in
            count += 1
            return count
        }
        return TellingProvider(number: number)
    }
}

private struct TellingProvider: Provider {
    let number: Int
    let name = "one"
    let channel = Channel.push
    let limits = ProviderLimits(maximumBodyBytes: 1, maximumConcurrency: 1, sendTimeout: .seconds(1))

    func send(_ item: OutgoingDelivery) async -> SendResult { SendResult(.rejected(.providerRejected), detail: "provider \(number)") }
    func close() async {}
}

private final class TemporaryFile: Sendable {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("tidings-\(UUID().uuidString)").path

    init(_ text: String) { try? write(text) }
    func remove() { try? FileManager.default.removeItem(atPath: path) }

    func write(_ text: String) throws { try text.write(toFile: path, atomically: true, encoding: .utf8) }

    /// The text with this file's path in place of `FILE`.
    func named(_ text: String) -> String { text.replacing("FILE", with: path) }
}

/// A clock that a test moves.
private final class Clock: Sendable {
    private let time = Mutex(ContinuousClock.now)

    var now: ContinuousClock.Instant { time.withLock { $0 } }
    func advance(by duration: Duration) { time.withLock { $0 += duration } }
}
