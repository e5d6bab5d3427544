import Foundation

/// An inbox that an app observes: actions go in with ``send(_:)``, states come out of ``states()``.
///
/// ```swift
/// let store = InboxStore(client: client, cache: FileInboxCache(url: file))
/// store.send(.load)
/// store.send(.start)
/// await store.run()  // For as long as the person is signed in, such as in a task of the app.
/// ```
///
/// Changes are shown at once and sent one after the other. A change that the server refuses is taken back, and ``InboxState/error`` says why.
/// Nothing is sent while ``run()`` does not run.
// The lock guards every stored property that changes.
public final class InboxStore: @unchecked Sendable {
    private let client: InboxClient
    private let cache: (any InboxCache)?
    private let lock = NSLock()
    private var core: InboxCore
    private var current: InboxState
    private var observers: [Int: AsyncStream<InboxState>.Continuation] = [:]
    private var lastObserver = 0
    /// Work that waits for ``run()``.
    private var backlog: [InboxEffect] = []
    private var effects: AsyncStream<InboxEffect>.Continuation?
    private var closers: [AsyncStream<Never>.Continuation] = []

    /// - Parameters:
    ///   - cache: Nil for an app that starts with an empty list.
    ///   - pageSize: Items of a page, 1 to 100.
    public init(client: InboxClient, cache: (any InboxCache)? = nil, pageSize: Int = 20) {
        self.client = client
        self.cache = cache
        core = InboxCore(pageSize: pageSize)
        current = core.state
    }

    public var state: InboxState { lock.withLock { current } }

    /// The present state and every later one. A slow reader gets the newest and misses those between.
    public func states() -> AsyncStream<InboxState> {
        let (states, observer) = AsyncStream.makeStream(of: InboxState.self, bufferingPolicy: .bufferingNewest(1))
        let number = lock.withLock {
            lastObserver += 1
            observers[lastObserver] = observer
            observer.yield(current)
            return lastObserver
        }
        observer.onTermination = { [weak self] _ in self?.forget(observer: number) }
        return states
    }

    private func forget(observer number: Int) {
        _ = lock.withLock { observers.removeValue(forKey: number) }
    }

    /// Returns when the action is in ``state``. The server hears of it afterwards.
    public func send(_ action: InboxAction) {
        receive(.action(action))
    }

    /// Sends an action and returns when nothing is on its way any more, such as for a gesture that refreshes the list.
    public func perform(_ action: InboxAction) async {
        send(action)
        for await state in states() where !state.isBusy { return }
    }

    /// Sends requests and reads the event stream until the task is cancelled. A second call while one runs returns at once.
    public func run() async {
        let (work, continuation) = AsyncStream.makeStream(of: InboxEffect.self)
        let isFirst = lock.withLock {
            guard effects == nil else { return false }
            effects = continuation
            for effect in backlog { continuation.yield(effect) }
            backlog = []
            return true
        }
        guard isFirst else { return }
        receive(.resumed)
        await withDiscardingTaskGroup { group in
            for await effect in work {
                if effect == .closeStream {
                    close()
                    continue
                }
                let closing = effect.endsWithStream ? closer() : nil
                // Requests run side by side. The core decides which may, and drops what comes too late.
                group.addTask { await self.perform(effect, until: closing) }
            }
            group.cancelAll()
        }
        close()
        lock.withLock { effects = nil }
        receive(.suspended)
    }

    private func receive(_ input: InboxInput) {
        lock.withLock {
            for effect in core.handle(input) {
                if let effects { effects.yield(effect) } else if case .suspended = input {} else { backlog.append(effect) }
            }
            let state = core.state
            guard state != current else { return }
            current = state
            for observer in observers.values { observer.yield(state) }
        }
    }

    private func closer() -> AsyncStream<Never> {
        let (closing, continuation) = AsyncStream.makeStream(of: Never.self)
        lock.withLock { closers.append(continuation) }
        return closing
    }

    private func close() {
        let open = lock.withLock {
            defer { closers = [] }
            return closers
        }
        for closer in open { closer.finish() }
    }

    // MARK: Effects

    private func perform(_ effect: InboxEffect, until closing: AsyncStream<Never>?) async {
        guard let closing else { return await perform(effect) }
        await withTaskGroup(of: Void.self) { group in
            // The stream or the wait, and the signal that ends it.
            group.addTask { await self.perform(effect) }
            group.addTask { for await _ in closing {} }
            await group.next()
            group.cancelAll()
        }
    }

    private func perform(_ effect: InboxEffect) async {
        switch effect {
        case .readCache:
            receive(.cacheRead(await cache?.read().flatMap(CachedInbox.init)))
        case .writeCache(let content):
            if let cache, let data = try? JSONEncoder().encode(content) { await cache.write(data) }
            receive(.cacheWritten)
        case .removeCache:
            await cache?.remove()
            receive(.cacheWritten)
        case .loadPage(let number, let limit, let cursor):
            let page = await Self.result { () async throws(InboxError) in
                try await self.client.notifications(limit: limit, cursor: cursor)
            }
            receive(.page(number, page))
        case .send(let number, let change):
            let answer = await Self.result { () async throws(InboxError) in try await self.client.send(change) }
            receive(.changed(number, answer))
        case .openStream(let number, let lastEventID):
            await follow(number, lastEventID: lastEventID)
        case .wait(let number, let seconds):
            do {
                // The wait before the next connection.
                try await client.environment.sleep(.seconds(seconds))
                receive(.waited(number))
            } catch {
                // Closed: the core has gone on.
            }
        case .closeStream: close()
        }
    }

    private static func result<Value>(_ work: () async throws(InboxError) -> Value) async -> Result<Value, InboxError> {
        do { return .success(try await work()) } catch { return .failure(error) }
    }

    private func follow(_ number: Int, lastEventID: String?) async {
        var end: InboxError?
        do throws(InboxError) {
            let body = try await client.openStream(lastEventID: lastEventID)
            receive(.streamOpened(number))
            await StreamReader(environment: client.environment).read(body) { event in
                self.receive(.streamEvent(number, event, random: self.client.environment.random()))
            }
        } catch {
            end = error
        }
        receive(.streamEnded(number, end, random: client.environment.random()))
    }
}

extension InboxEffect {
    fileprivate var endsWithStream: Bool {
        switch self {
        case .openStream, .wait: true
        default: false
        }
    }
}
