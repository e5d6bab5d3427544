import TidingsAMQP
public import TidingsCore
import TidingsMetrics

/// Publishes the refused packs of one lane again, until the broker takes them. Each lane has its own, so urgent packs never wait for bulk.
///
/// A refusal is an answer: the pack waits in no queue, or in an election its leader may still have it. In either case the pack can be
/// published again at once, because only the first of several messages of a pack is claimed. A releaser does not publish it meanwhile: it
/// takes packs that are unconfirmed for ``Store/confirmTimeoutSeconds``, and a pack leaves this line after ``RefusalLine/patience``. The two
/// meet only if the broker keeps an answer for longer than the difference.
///
/// If the process dies, or if there is no room, the rows of the packs show that they are unconfirmed, and a releaser publishes them.
package actor RefusedPacks {
    /// The longest wait for the answer to an attempt. A queue that answers nothing must not hold up the other queues of the lane. Its packs
    /// are left to a releaser.
    package static let longestAnswer = Duration.seconds(3)
    /// Refusals that are further apart are two phases.
    private static let phaseGap = Duration.seconds(60)

    private let lane: Lane
    private let publisher: AMQPPublisher
    private let watch: WorkWatch
    private let notes: ConfirmNotes
    private let metrics: Metrics
    private let log: @Sendable (RefusalEvent) -> Void
    private var line = RefusalLine()
    private var isClosed = false
    private var worker: Task<Void, Never>?
    /// The refusals since the broker refused the first pack. Nil while it refuses none.
    private var phase: RefusalPhase?

    init(
        lane: Lane, publisher: AMQPPublisher, watch: WorkWatch, notes: ConfirmNotes, metrics: Metrics,
        log: @escaping @Sendable (RefusalEvent) -> Void
    ) {
        self.lane = lane
        self.publisher = publisher
        self.watch = watch
        self.notes = notes
        self.metrics = metrics
        self.log = log
    }

    /// Keeps refused packs. Returns the number of packs for which there was room.
    func keep(_ packs: [RefusedPack]) -> Int {
        if let phase, line.count == 0, phase.lastAt.duration(to: .now) > Self.phaseGap {
            self.phase = nil
            log(.ended(phase, after: phase.began.duration(to: phase.lastAt)))
        }
        if phase == nil {
            phase = RefusalPhase(lane: lane, began: .now)
            log(.began(lane))
        }
        let kept = isClosed ? 0 : packs.count { line.add($0, at: .now) }
        phase?.refused += packs.count
        phase?.lastAt = .now
        phase?.left += packs.count - kept
        metrics.packsRefused.add(kept)
        startWorker()
        return kept
    }

    /// Ends the attempts. The packs that still wait are left to a releaser.
    func close() async {
        isClosed = true
        worker?.cancel()
        await worker?.value
        leave(line.removeAll())
    }

    private func startWorker() {
        guard worker == nil, line.nextDue != nil else { return }
        // The attempts outlive the batch that made the packs. `close()` ends and awaits the task.
        worker = Task { await work() }
    }

    private func work() async {
        while !Task.isCancelled, let due = line.nextDue {
            guard due <= .now else {
                // Only time has to pass. `close()` cancels the sleep.
                try? await Task.sleep(until: due, clock: .continuous)
                continue
            }
            let (packs, left) = line.dequeue(at: .now)
            leave(left.count)
            if !packs.isEmpty { await publish(packs) }
            endPhase()
        }
        worker = nil
    }

    private func publish(_ packs: [RefusedPack]) async {
        let results = await watch.publish(packs.map(\.message), timeout: Self.longestAnswer, by: publisher)
        var confirmed: [PackID] = []
        let now = ContinuousClock.now
        // Refused packs go to the front of their queue, so the last of a batch goes first.
        for (pack, result) in zip(packs, results).reversed() {
            switch result {
            case .confirmed:
                confirmed.append(pack.id)
                line.accepted(by: pack.queue, at: now)
            case .nacked: line.refused(pack, at: now)
            // It is unknown whether the pack arrived, or its queue is missing.
            case .returned, .failed: leave(1)
            }
        }
        metrics.packsRefused.add(-confirmed.count)
        metrics.packsConfirmed.add(confirmed.count)
        phase?.taken += confirmed.count
        await notes.note(confirmed)
    }

    private func leave(_ count: Int) {
        guard count > 0 else { return }
        metrics.packsRefused.add(-count)
        phase?.left += count
    }

    /// Reports the end of a phase when the broker has taken packs again and none waits. A queue that stays full keeps the phase open, so that
    /// it does not fill the log.
    private func endPhase() {
        guard let phase, phase.taken > 0, line.count == 0 else { return }
        self.phase = nil
        log(.ended(phase, after: phase.began.duration(to: .now)))
    }
}

/// A time in which the broker refused packs of a lane.
public struct RefusalPhase: Sendable {
    public let lane: Lane
    let began: ContinuousClock.Instant
    /// The time of the last refusal.
    var lastAt: ContinuousClock.Instant
    /// The packs that were refused once or more.
    public internal(set) var refused = 0
    /// The packs that the broker took later.
    public internal(set) var taken = 0
    /// The packs that are left to a releaser.
    public internal(set) var left = 0

    init(lane: Lane, began: ContinuousClock.Instant) {
        self.lane = lane
        (self.began, lastAt) = (began, began)
    }
}

/// The begin or the end of a phase of refusals. Each is reported once.
public enum RefusalEvent: Sendable {
    case began(Lane)
    case ended(RefusalPhase, after: Duration)
}
