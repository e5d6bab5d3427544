import Foundation

/// Sends reports when the network allows, and keeps them until then.
///
/// ```swift
/// let queue = ReportQueue(client: client, storage: FileReportStorage(url: file))
/// await queue.confirmReceipt(of: push.id, on: device.deviceId)
/// await queue.report([EngagementEvent(type: .opened, notificationId: push.id)])
/// await queue.run()  // For as long as the person is signed in, such as in a task of the app.
/// ```
///
/// A 400, 413 or 422, and a 404 to a receipt, is told by ``failures()``, and the report is given up. After a 401 the reports wait for
/// ``resume()`` or the next report. After any other failure a report is sent again, after a pause that grows from a second to five minutes.
/// A 4xx other than 408 and 425 pauses only the events, or only the receipts. A 503 to a receipt pauses only this receipt.
///
/// At most ``maximumReports`` wait. Nothing is sent while ``run()`` does not run.
public actor ReportQueue {
    /// The most reports that wait. With one more, the oldest is given up, unless a request with it is on its way.
    public static let maximumReports = ReportBacklog.maximumReports
    /// The time after which a report that waits is given up, in seconds.
    public static let maximumAge = ReportBacklog.maximumAge
    /// The time between two tries to read the storage, such as a file of a device that is locked.
    private static let readingPause = Duration.seconds(60)
    /// Failures that are kept for the first reader of ``failures()``.
    private static let maximumUntold = 100

    private enum Reading { case notYet, onItsWay, done }

    private let client: InboxClient
    private let storage: (any ReportStorage)?
    private var backlog = ReportBacklog()
    private var current = ReportQueueState()
    private var reading = Reading.notYet
    /// Grows with each ``clear()``, so that a read or a request that began before brings nothing back.
    private var generation = 0
    /// The number of the last call of ``run()``. An earlier one ends.
    private var lastRun = 0
    private var isWriting = false
    /// Whether the storage does not have the last change.
    private var isChanged = false
    /// Whether the server refuses the person's token.
    private var isHeld = false
    private var wake: AsyncStream<Never>.Continuation?
    private var observers: [AsyncStream<ReportQueueState>.Continuation] = []
    private var listeners: [AsyncStream<ReportFailure>.Continuation] = []
    private var untold: [ReportFailure] = []

    /// - Parameter storage: Nil for an app whose reports may be lost when it ends.
    public init(client: InboxClient, storage: (any ReportStorage)? = nil) {
        self.client = client
        self.storage = storage
    }

    // MARK: State

    public var state: ReportQueueState { current }

    /// The present state and every later one. A slow reader gets the newest and misses those between.
    public func states() -> AsyncStream<ReportQueueState> {
        let (states, observer) = AsyncStream.makeStream(of: ReportQueueState.self, bufferingPolicy: .bufferingNewest(1))
        observers.append(observer)
        observer.yield(current)
        return states
    }

    /// The reports that are given up, each time with the reason. The first reader also gets those of before.
    public func failures() -> AsyncStream<ReportFailure> {
        let (failures, listener) = AsyncStream.makeStream(
            of: ReportFailure.self, bufferingPolicy: .bufferingNewest(Self.maximumUntold))
        listeners.append(listener)
        for failure in untold { listener.yield(failure) }
        untold = []
        return failures
    }

    /// Publishes the number of reports, and a change of the state.
    private func update(_ change: (inout ReportQueueState) -> Void = { _ in }) {
        var next = current
        next.waiting = backlog.entries.count
        change(&next)
        guard next != current else { return }
        current = next
        observers.removeAll { observer in
            if case .terminated = observer.yield(next) { true } else { false }
        }
    }

    private func tell(_ reports: [Report], _ error: InboxError) {
        guard !reports.isEmpty else { return }
        let failure = ReportFailure(reports: reports, error: error)
        listeners.removeAll { listener in
            if case .terminated = listener.yield(failure) { true } else { false }
        }
        if listeners.isEmpty { untold = Array((untold + [failure]).suffix(Self.maximumUntold)) }
    }

    // MARK: Reports

    /// Puts events into the queue. An event without a time gets the present one, so that the server knows it again.
    public func report(_ events: [EngagementEvent]) async {
        let now = client.environment.now()
        await add(
            events.map { event -> Report in
                var timed = event
                timed.at = event.at ?? now
                return .event(timed)
            })
    }

    /// Puts the confirmation of a push into the queue.
    public func confirmReceipt(of id: String, on deviceID: String) async {
        await add([.receipt(notificationId: id, deviceId: deviceID)])
    }

    /// Returns a push, and reports a payload that cannot be read.
    @discardableResult public func receive(push payload: PushPayload) async -> PushPayload {
        if let event = payload.engagementEvent(at: client.environment.now()) { await report([event]) }
        return payload
    }

    private func add(_ reports: [Report]) async {
        tell(backlog.add(reports, at: client.environment.now()), .tooManyReports)
        isHeld = false
        update()
        wake?.finish()
        await restore()
        await store()
    }

    /// Sends at once what waits for the end of a pause or for a sign-in, such as when the network is back or the device is unlocked.
    public func resume() {
        isHeld = false
        backlog.endPauses()
        wake?.finish()
    }

    /// Forgets the reports, also in the storage. Call it when the person signs out.
    public func clear() async {
        generation += 1
        // Stored reports are not read any more: a run would send them with the token of the next person.
        reading = .done
        backlog.clear()
        untold = []
        update { $0.error = nil }
        await store()
    }

    // MARK: Sending

    /// Sends reports until the task is cancelled, or until another call begins. So a task that an app starts again sends, also if the
    /// cancelled one has not ended yet.
    public func run() async {
        // A task that is cancelled before it begins must not end the run that replaced it.
        guard !Task.isCancelled else { return }
        lastRun += 1
        let own = lastRun
        isHeld = false
        wake?.finish()
        while true {
            await restore()
            await giveUpOld()
            guard own == lastRun, !Task.isCancelled else { return }
            let batch = isHeld ? [] : backlog.next(at: client.environment.elapsed())
            if batch.isEmpty {
                await wait(until: nextTurn)
            } else {
                await send(batch)
            }
        }
    }

    /// The time at which a run goes on, by `elapsed`. Nil if it waits for a call.
    private var nextTurn: Duration? {
        let nextTry = isHeld ? nil : backlog.nextTime
        guard reading != .done else { return nextTry }
        let nextReading = client.environment.elapsed() + Self.readingPause
        return nextTry.map { min($0, nextReading) } ?? nextReading
    }

    private func giveUpOld() async {
        let old = backlog.expire(at: client.environment.now())
        guard !old.isEmpty else { return }
        tell(old, current.error ?? .network("not sent within \(Self.maximumAge) s"))
        update()
        await store()
    }

    private func send(_ batch: [ReportBacklog.Entry]) async {
        let own = generation
        backlog.beginRequest(batch)
        let error = await failure(of: batch)
        backlog.endRequest()
        // A later run waits for the end of this request.
        wake?.finish()
        if (error == .cancelled && Task.isCancelled) || own != generation { return }
        if let error { failed(batch, error) } else { backlog.accept(batch) }
        update { $0.error = error }
        await store()
    }

    /// Sends reports once. Returns why the server does not have them.
    private func failure(of batch: [ReportBacklog.Entry]) async -> InboxError? {
        do throws(InboxError) {
            if case .receipt(let id, let device) = batch[0].report {
                try await client.confirmReceipt(of: id, on: device)
            } else {
                let events = batch.compactMap { entry -> EngagementEvent? in
                    if case .event(let event) = entry.report { event } else { nil }
                }
                try await client.report(events)
            }
            return nil
        } catch {
            return error
        }
    }

    private func failed(_ batch: [ReportBacklog.Entry], _ error: InboxError) {
        if error == .unauthorized {
            isHeld = true
        } else if let scope = error.pauseScope(of: batch[0].report.kind) {
            let environment = client.environment
            backlog.postpone(batch, scope, after: error, at: environment.elapsed(), random: environment.random())
        } else {
            let named = error.refusedEvents.filter { $0 < batch.count }
            let refused = batch.count == 1 ? batch : named.map { batch[$0] }
            if refused.isEmpty { backlog.narrow(batch) }
            backlog.remove(refused)
            tell(refused.map(\.report), error)
        }
    }

    /// Waits until the time, or without an end, or until ``wake``. The signal stays after the wait, because it may be that of a later run.
    private func wait(until time: Duration?) async {
        let (wakes, continuation) = AsyncStream.makeStream(of: Never.self)
        wake = continuation
        let (sleep, length) = (client.environment.sleep, time.map { max(.zero, $0 - client.environment.elapsed()) })
        await withTaskGroup(of: Void.self) { group in
            // The signal and the pause: whichever ends first cancels the other.
            group.addTask { for await _ in wakes {} }
            if let length { group.addTask { try? await sleep(length) } }
            await group.next()
            group.cancelAll()
        }
    }

    // MARK: Storage

    /// Reads the storage, until that has succeeded once. Reports that were added meanwhile come after the stored ones.
    private func restore() async {
        guard reading == .notYet else { return }
        reading = .onItsWay
        let own = generation
        do {
            let data = try await storage?.read()
            guard own == generation else { return }
            if let data {
                tell(backlog.restore(data), .tooManyReports)
                wake?.finish()
            }
            reading = .done
            update { $0.isStored = true }
        } catch {
            guard own == generation else { return }
            // Nothing is written until the stored reports are read: a file may be locked until the device is unlocked.
            reading = .notYet
            update { $0.isStored = false }
        }
        if isChanged { await store() }
    }

    /// Writes the reports that wait. A change during a write is written after it.
    private func store() async {
        isChanged = true
        guard reading == .done, !isWriting, let storage else { return }
        isWriting = true
        while isChanged {
            isChanged = false
            do {
                if backlog.entries.isEmpty { try await storage.remove() } else { try await storage.write(backlog.data) }
                update { $0.isStored = true }
            } catch {
                update { $0.isStored = false }
            }
        }
        isWriting = false
    }
}
