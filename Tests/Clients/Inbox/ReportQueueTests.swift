import Foundation
import Testing
import TidingsInbox

/// The reports that wait: their storage, their limits, and what the app is told. The table of cases has the requests.
@Suite struct ReportQueueTests {
    private static let accepted = #"{"accepted":1}"#

    private static func events(_ count: Int, detail: [String: String] = [:]) -> [EngagementEvent] {
        (0..<count).map { EngagementEvent(type: .opened, notificationId: Sample.id($0), detail: detail.isEmpty ? nil : detail) }
    }

    @Test func aReportOutlivesTheApp() throws {
        let scene = ReportScene()
        let first = scene.queue()
        scene.does { await first.report(Self.events(1)) }
        scene.does { await first.confirmReceipt(of: "n", on: "d") }
        #expect(scene.state(of: first).waiting == 2)
        #expect(scene.storage.data != nil)
        first.end()

        scene.inbox.server.answer("POST /api/events", status: 202, Self.accepted)
        scene.inbox.server.answer("POST /api/notifications/n/receipt", status: 204)
        let second = scene.queue()
        #expect(scene.state(of: second) == ReportQueueState())
        #expect(scene.storage.data == nil)
        let body = try #require(scene.inbox.server.requests.last { $0.url.path() == "/api/events" }?.body)
        // The time is that of the report, so that the server knows the event again.
        #expect(String(decoding: body, as: UTF8.self).contains(#""at":"2026-11-25T12:00:00.000Z""#))
    }

    @Test func theOldestGoIfTooManyWait() {
        let scene = ReportScene()
        let queue = scene.queue(isRunning: false)
        scene.does { await queue.report(Self.events(ReportQueue.maximumReports + 3)) }
        #expect(scene.state(of: queue).waiting == ReportQueue.maximumReports)
        #expect(scene.failures(of: queue).map(\.error) == [.tooManyReports])
        #expect(scene.failures(of: queue).first?.reports.count == 3)
    }

    /// The server may take the reports of a request on its way, so they are not told as given up.
    @Test func aFullQueueKeepsTheReportsOfTheRequestOnItsWay() {
        let scene = ReportScene()
        let line = "POST /api/events"
        scene.inbox.server.answer(line, status: 202, Self.accepted)
        scene.inbox.server.hold(line)
        let queue = scene.queue()
        let events = Self.events(ReportQueue.maximumReports + 1)
        scene.does { await queue.report([events[0]]) }
        scene.does { await queue.report(Array(events.dropFirst())) }
        let givenUp = scene.failures(of: queue).flatMap(\.reports).compactMap { report -> String? in
            if case .event(let event) = report { event.notificationId } else { nil }
        }
        #expect(givenUp == [Sample.id(1)])
        scene.inbox.server.release(line)
        scene.inbox.executor.drain()
        #expect(scene.state(of: queue).waiting == 0)
    }

    @Test func aReportThatWaitedTooLongIsGivenUp() {
        let scene = ReportScene()
        let queue = scene.queue(isRunning: false)
        scene.does { await queue.report(Self.events(2)) }
        scene.inbox.clock.advance(.seconds(ReportQueue.maximumAge + 1)) { scene.inbox.executor.drain() }
        queue.start()
        #expect(scene.state(of: queue).waiting == 0)
        #expect(scene.failures(of: queue).flatMap(\.reports).count == 2)
        #expect(scene.inbox.server.lines.isEmpty)
    }

    /// A file of a locked device cannot be read yet. Its reports must not be replaced by later ones.
    @Test func nothingIsWrittenBeforeTheStorageIsRead() {
        let scene = ReportScene()
        let first = scene.queue(isRunning: false)
        scene.does { await first.report(Self.events(1)) }
        let stored = scene.storage.data
        scene.storage.fails = true
        let second = scene.queue(isRunning: false)
        scene.does { await second.report(Self.events(2)) }
        #expect(scene.state(of: second).waiting == 2 && !scene.state(of: second).isStored)
        scene.storage.fails = false
        #expect(scene.storage.data == stored)
        second.start()
        #expect(scene.state(of: second).waiting == 3 && scene.state(of: second).isStored)
    }

    /// A queue with an own report, while the storage with another one cannot be read.
    private static func queueWithoutItsStorage(in scene: ReportScene) -> RunningQueue {
        let before = scene.queue(isRunning: false)
        scene.does { await before.report(Self.events(1)) }
        scene.storage.fails = true
        scene.inbox.server.answer("POST /api/events", status: 202, Self.accepted)
        let queue = scene.queue()
        scene.does { await queue.report(Self.events(1)) }
        #expect(scene.inbox.server.lines.count == 1)
        #expect(!scene.state(of: queue).isStored)
        scene.storage.fails = false
        return queue
    }

    @Test func aStorageThatFailedIsReadAgainAfterAPause() {
        let scene = ReportScene()
        let queue = Self.queueWithoutItsStorage(in: scene)
        scene.inbox.clock.advance(.seconds(60)) { scene.inbox.executor.drain() }
        #expect(scene.inbox.server.lines.count == 2)
        #expect(scene.state(of: queue) == ReportQueueState())
        #expect(scene.storage.data == nil)
    }

    @Test func aStorageThatFailedIsReadAgainWhenTheDeviceIsUnlocked() {
        let scene = ReportScene()
        let queue = Self.queueWithoutItsStorage(in: scene)
        scene.does { await queue.resume() }
        #expect(scene.inbox.server.lines.count == 2)
        #expect(scene.state(of: queue) == ReportQueueState())
    }

    /// The next person's token is there already when the storage can be read.
    @Test func aPersonWhoSignsOutSendsNoStoredReport() {
        let scene = ReportScene()
        let queue = Self.queueWithoutItsStorage(in: scene)
        scene.storage.hold()
        scene.does { await queue.clear() }
        #expect(scene.inbox.server.lines.count == 1)
        scene.storage.release()
        #expect(scene.state(of: queue) == ReportQueueState())
        #expect(scene.storage.data == nil)
        #expect(scene.inbox.server.lines.count == 1)
    }

    @Test func anAnswerAfterTheSignOutTellsNothing() {
        let scene = ReportScene()
        let line = "POST /api/events"
        scene.inbox.server.answer(line, status: 400)
        scene.inbox.server.hold(line)
        let queue = scene.queue()
        scene.does { await queue.report(Self.events(1)) }
        scene.does { await queue.clear() }
        scene.inbox.server.release(line)
        scene.inbox.executor.drain()
        #expect(scene.failures(of: queue).isEmpty)
        #expect(scene.state(of: queue) == ReportQueueState())
    }

    /// A view that appears again starts its task before the cancelled one has ended.
    @Test func aLaterRunTakesTheEarlierOnesPlace() {
        let scene = ReportScene()
        scene.inbox.server.answer("POST /api/events", status: 202, Self.accepted)
        let queue = scene.queue()
        queue.start()
        queue.cancelFirstRun()
        scene.does { await queue.report(Self.events(1)) }
        #expect(scene.inbox.server.lines.count == 1)
        #expect(scene.state(of: queue).waiting == 0)
    }

    @Test func aLaterRunWaitsForTheRequestOnItsWay() {
        let scene = ReportScene()
        let line = "POST /api/events"
        scene.inbox.server.answer(line, status: 202, Self.accepted)
        scene.inbox.server.hold(line)
        let queue = scene.queue()
        scene.does { await queue.report(Self.events(1)) }
        queue.start()
        #expect(scene.inbox.server.lines == [line])
        queue.cancelFirstRun()
        #expect(scene.inbox.server.lines == [line, line])
        #expect(scene.state(of: queue) == ReportQueueState())
    }

    @Test func aRunThatIsCancelledBeforeItsBeginEndsNoOther() {
        let scene = ReportScene()
        scene.inbox.server.answer("POST /api/events", status: 202, Self.accepted)
        let queue = scene.queue()
        queue.start(isCancelled: true)
        scene.does { await queue.report(Self.events(1)) }
        #expect(scene.inbox.server.lines.count == 1)
    }

    /// A provider may throw this error although nothing is cancelled.
    @Test func aTokenProviderThatSaysCancelledCausesAPause() {
        let scene = ReportScene(tokens: CancelledTokens())
        let queue = scene.queue()
        scene.does { await queue.report(Self.events(1)) }
        #expect(scene.state(of: queue).waiting == 1)
        #expect(scene.state(of: queue).error == .cancelled)
        #expect(scene.inbox.server.lines.isEmpty)
    }

    @Test func otherBytesAreIgnored() {
        let scene = ReportScene()
        scene.storage.data = Data(#"{"items":[]}"#.utf8)
        let queue = scene.queue()
        #expect(scene.state(of: queue).waiting == 0)
    }

    /// The body of a request has room for less than the events of one request might have.
    @Test func aRequestHasAtMostSoManyBytes() {
        let scene = ReportScene()
        scene.inbox.server.answer("POST /api/events", status: 202, Self.accepted)
        let queue = scene.queue()
        scene.does { await queue.report(Self.events(60, detail: ["text": String(repeating: "a", count: 1_900)])) }
        let bodies = scene.inbox.server.requests.map { $0.body?.count ?? 0 }
        #expect(bodies.count == 3 && bodies.allSatisfy { $0 < 50_000 }, "\(bodies)")
        #expect(scene.state(of: queue).waiting == 0)
    }

    @Test func aPersonWhoSignsOutLeavesNothing() {
        let scene = ReportScene()
        let queue = scene.queue()
        scene.does { await queue.report(Self.events(1)) }
        scene.does { await queue.clear() }
        #expect(scene.state(of: queue) == ReportQueueState())
        #expect(scene.storage.data == nil)
    }
}

private struct CancelledTokens: InboxTokenProvider {
    func token(replacing rejected: String?) async throws -> String { throw InboxError.cancelled }
}

/// Queues that share a storage, on the clock and with the server of a scene.
private final class ReportScene {
    let inbox: InboxScene
    let storage = KeptReports()

    init(tokens: any InboxTokenProvider = FixedToken("token")) { inbox = InboxScene(tokens: tokens) }

    func queue(isRunning: Bool = true) -> RunningQueue {
        let queue = RunningQueue(ReportQueue(client: inbox.client, storage: storage), on: inbox.executor)
        if isRunning { queue.start() }
        return queue
    }

    /// Lets a call and everything that follows happen.
    func does(_ body: @escaping @Sendable () async -> Void) {
        _ = Task(executorPreference: inbox.executor) { await body() }
        inbox.executor.drain()
    }

    func state(of queue: RunningQueue) -> ReportQueueState {
        let reports = queue.reports
        return (try? inbox.result { await reports.state }?.get()) ?? ReportQueueState()
    }

    func failures(of queue: RunningQueue) -> [ReportFailure] {
        inbox.executor.drain()
        return queue.told
    }
}

/// A queue with the tasks that run it.
// Only the thread of the test touches it: the executor runs every task there.
private final class RunningQueue: @unchecked Sendable {
    let reports: ReportQueue
    private let executor: StepExecutor
    private var listening: Task<Void, Never>?
    private var runs: [Task<Void, Never>] = []
    private(set) var told: [ReportFailure] = []

    init(_ reports: ReportQueue, on executor: StepExecutor) {
        self.reports = reports
        self.executor = executor
        listening = Task(executorPreference: executor) { [reports, weak self] in
            for await failure in await reports.failures() { self?.told.append(failure) }
        }
        executor.drain()
    }

    deinit { end() }

    /// - Parameter isCancelled: Whether the task is cancelled before it begins.
    func start(isCancelled: Bool = false) {
        let run = Task(executorPreference: executor) { [reports] in await reports.run() }
        if isCancelled { run.cancel() }
        runs.append(run)
        executor.drain()
    }

    func cancelFirstRun() {
        runs.removeFirst().cancel()
        executor.drain()
    }

    /// Ends the runs, as an app does that goes away.
    func end() {
        listening?.cancel()
        for run in runs { run.cancel() }
        runs = []
        executor.drain()
    }

    func report(_ events: [EngagementEvent]) async { await reports.report(events) }
    func confirmReceipt(of id: String, on device: String) async { await reports.confirmReceipt(of: id, on: device) }
    func resume() async { await reports.resume() }
    func clear() async { await reports.clear() }
}

/// A storage in memory, which a test makes fail.
// The lock guards every stored property that changes.
private final class KeptReports: ReportStorage, @unchecked Sendable {
    private struct Locked: Error {}

    private let lock = NSLock()
    private var stored: Data?
    private var isFailing = false
    private var gate: (stream: AsyncStream<Never>, continuation: AsyncStream<Never>.Continuation)?

    var data: Data? {
        get { lock.withLock { stored } }
        set { lock.withLock { stored = newValue } }
    }

    var fails: Bool {
        get { lock.withLock { isFailing } }
        set { lock.withLock { isFailing = newValue } }
    }

    /// Holds the next change back until ``release()``.
    func hold() {
        let gate = AsyncStream.makeStream(of: Never.self)
        lock.withLock { self.gate = gate }
    }

    func release() {
        lock.withLock { gate }?.continuation.finish()
        lock.withLock { gate = nil }
    }

    private func pass() async {
        let stream = lock.withLock { gate?.stream }
        if let stream { for await _ in stream {} }
    }

    func read() async throws -> Data? {
        if fails { throw Locked() }
        return data
    }

    func write(_ data: Data) async throws {
        await pass()
        if fails { throw Locked() }
        self.data = data
    }

    func remove() async throws {
        await pass()
        if fails { throw Locked() }
        data = nil
    }
}
