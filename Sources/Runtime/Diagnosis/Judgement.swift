import TidingsCore

/// Judges a reading of the system. Each check is one pure function. `tidings status` and `tidings doctor` share the checks.
package enum Judgement {
    /// At least one finding of every check.
    package static func findings(of reading: SystemReading) -> [Finding] {
        [
            workers, commits, publishing, confirms, intake, publishers, consumers, samples, growth, enqueued, overdue, breakers, failures,
            refused, conservation, failover, pauses,
        ].flatMap { $0(reading) }
    }

    /// A process consumes within this time after its start. Samples are five seconds apart.
    static let settling = Duration.seconds(10)

    /// An intake queue always needs a consumer. Any other queue needs one if it holds messages.
    private static func consumers(_ reading: SystemReading) -> [Finding] {
        reading.queues.filter { reading.isFresh($0) && $0.consumers == 0 }.compactMap { queue in
            let ready = queue.ready ?? 0
            if reading.isLeftOver(queue) { return leftOver(queue, ready) }
            guard !reading.isSettling(queue) else { return nil }
            let processes = reading.consumers(of: queue)
            let remedy = processes > 0 ? Self.unknownConsumers : queue.remedy
            // A node that is cut off from the others does not know their consumers.
            let although = processes > 0 ? ", although \(processes.of("process runs", "processes run")) for it" : ""
            guard ready > 0 else {
                return queue.isIntake
                    ? Finding("consumers", .error, .noConsumer, "\(queue.name) has no consumer\(although)", whatToDo: remedy) : nil
            }
            let since = queue.waitingSince.map { " since \($0.minute(now: reading.now))" } ?? ""
            return Finding(
                "consumers", .error, .queueWithoutConsumer,
                "\(ready.of("message")) \(ready == 1 ? "waits" : "wait") in \(queue.name)\(since), and it has no consumer\(although)",
                whatToDo: remedy)
        }.orOK("consumers", "every queue that needs a consumer has one")
    }

    /// The messages of a queue whose provider left the catalogue. A releaser has routed their deliveries again, so no pack of them is left.
    private static func leftOver(_ queue: SystemReading.Queue, _ ready: Int) -> Finding? {
        guard ready > 0, queue.packs == 0 else { return nil }
        return Finding(
            "consumers", .warning, .queueLeftOver,
            "\(ready.of("message")) \(ready == 1 ? "stays" : "stay") in \(queue.name), and the active catalogue has no such provider",
            whatToDo: "Their deliveries were routed again. Delete the queue: rabbitmqctl delete_queue --vhost <vhost> \(queue.name)")
    }

    private static let unknownConsumers =
        "rabbitmqctl cluster_status names nodes that are down or cut off. Then see the log of these processes."

    /// The age from which on a sample is stale. By then six samples of the queue are missing.
    static let freshness = Duration.seconds(30)

    private static func samples(_ reading: SystemReading) -> [Finding] {
        guard let newest = reading.queues.compactMap(\.sampledAt).max() else {
            // A note is enough without a settled releaser: if none runs, the check of the workers says so.
            let level: Finding.Level = reading.hasSettled("release") ? .warning : .note
            return [
                Finding(
                    "samples", level, .notSampled, "no queue has been sampled yet",
                    whatToDo: "Wait for ten seconds after the start of a release role. Then see its log.")
            ]
        }
        guard reading.now - newest > freshness else { return [.ok("samples", "the queues were sampled within \(freshness)")] }
        return [
            Finding(
                "samples", .error, .samplesStale, "the queues were last sampled at \(newest.minute(now: reading.now))",
                whatToDo: reading.seeCause
                    ?? "See the log of tidings run release, which samples the queues. It no longer reaches the broker or the database.")
        ]
    }

    /// A growing queue is reported from this many messages on. Fewer messages are read from the socket at once.
    static let smallQueue = 1_000

    private static func growth(_ reading: SystemReading) -> [Finding] {
        reading.queues.compactMap { queue in
            guard reading.isFresh(queue), let ready = queue.ready, ready >= smallQueue, let drained = queue.drainedPerSecond, drained < 0
            else { return nil }
            return Finding(
                "growth", .warning, .queueGrows,
                "\(queue.name) grows by \(Int((-drained).rounded(.up)).of("message")) a second, \(ready.of("message")) wait",
                whatToDo: "If it goes on growing, start more processes: tidings run \(queue.role).")
        }.orOK("growth", "no queue of \(smallQueue.grouped) messages or more grows")
    }

    /// The delay that people notice, and the delay that a busy minute does not explain.
    static let (late, veryLate) = (Duration.seconds(60), Duration.seconds(600))

    private static func enqueued(_ reading: SystemReading) -> [Finding] {
        guard let since = reading.enqueuedSince, reading.now - since > late else {
            return [.ok("enqueue", "no event of tidings_api.enqueue waits for more than \(late)")]
        }
        let obstacle = reading.runs("release") ? "to be published" : "for a releaser"
        let wait = ["commits": "for the database", "publishing": "for the broker"][reading.cause ?? ""] ?? obstacle
        return [
            Finding(
                "enqueue", reading.now - since > veryLate ? .error : .warning, .enqueuedWaits,
                "\(reading.enqueued.of("event")) of tidings_api.enqueue wait \(wait) since \(since.minute(now: reading.now))",
                whatToDo: reading.seeCause ?? "See the log of tidings run release: it publishes them. More than one may run.")
        ]
    }

    private static func overdue(_ reading: SystemReading) -> [Finding] {
        let waiting = reading.overdue.filter { !$0.isSaturated && reading.now - $0.oldestAt > late }
        var findings = reading.overdue.filter(\.isSaturated).map { row in
            Finding(
                "overdue", .note, .providerSaturated,
                "\(row.deliveries.of("delivery", "deliveries")) wait for room at \(row.channel) \(row.provider), \(row.lane) lane",
                whatToDo:
                    "The provider cannot keep up: see its requestsPerSecond and maximumConcurrency, or add deliver processes.")
        }
        if let oldest = waiting.min(by: { $0.oldestAt < $1.oldestAt }) {
            let count = waiting.reduce(0) { $0 + $1.deliveries }
            findings.append(
                Finding(
                    "overdue", reading.now - oldest.oldestAt > veryLate ? .error : .warning, .overdue,
                    "\(count.of("delivery is", "deliveries are")) overdue, the first since \(oldest.oldestAt.minute(now: reading.now)) "
                        + "(\(oldest.channel), \(oldest.lane) lane)",
                    whatToDo: reading.seeCause ?? "See the log of tidings run release: it takes deliveries whose time has come."))
        }
        return findings.orOK("overdue", "no delivery is overdue by more than \(late)")
    }

    private static func breakers(_ reading: SystemReading) -> [Finding] {
        reading.openBreakers.map { breaker in
            Finding(
                "breakers", .warning, .breakerOpen,
                "the breaker of \(breaker.channel) \(breaker.provider) is open: "
                    + "\(breaker.deliveries.of("delivery waits", "deliveries wait")) since \(breaker.since.minute(now: reading.now))",
                whatToDo: "See what the provider answers: select * from tidings_ops.errors. Tidings retries the deliveries itself.")
        }.orOK("breakers", "no delivery waits for an open breaker")
    }

    /// The time for which `tidings_ops.recent_failures` counts.
    static let lately = Duration.seconds(900)
    /// The groups of failures that the finding names.
    private static let namedFailures = 3

    /// Deliveries that failed lately, or had no provider, although every part works. Each later one ends like this as well, until a person
    /// changes something.
    private static func failures(_ reading: SystemReading) -> [Finding] {
        let failed = reading.failures.filter(\.needsOperator)
        guard let most = failed.first else {
            return [.ok("failures", "no delivery of the last \(lately.minutes) ended for a reason that needs an operator")]
        }
        let count = failed.reduce(0) { $0 + $1.deliveries }
        let named = failed.prefix(namedFailures).map { group in
            [group.deliveries.grouped, group.channel, group.provider, group.reason].filter { !$0.isEmpty }.joined(separator: " ")
        }
        let more = failed.count > namedFailures ? ", …" : ""
        let advice = ReasonCode(rawValue: most.reason).map { "\(most.reason): \($0.whatToDo) " } ?? ""
        return [
            Finding(
                "failures", .warning, .deliveriesFail,
                "\(count.of("delivery", "deliveries")) \(ended(failed, count)) in the last \(lately.minutes): "
                    + "\(named.joined(separator: ", "))\(more)",
                whatToDo: "\(advice)See tidings why \(most.sample), "
                    + "and tidings delivery list --state \(most.state) --reason \(most.reason).")
        ]
    }

    /// The verb for the ends of these deliveries.
    private static func ended(_ failed: [SystemReading.Failed], _ count: Int) -> String {
        let isSuppressed = failed.map { $0.state == DeliveryState.suppressed.rawValue }
        let suppressed = count == 1 ? "was suppressed" : "were suppressed"
        guard isSuppressed.contains(true) else { return "failed" }
        return isSuppressed.contains(false) ? "failed or \(suppressed)" : suppressed
    }

    private static func refused(_ reading: SystemReading) -> [Finding] {
        var findings: [Finding] = []
        if reading.rejected > 0 {
            findings.append(
                Finding(
                    "refused", .warning, .rejectedOpen,
                    "\(reading.rejected.of("intent was", "intents were")) rejected in the last 24 h and \(reading.rejected == 1 ? "is" : "are") open",
                    whatToDo: "tidings rejected list --state open shows why; then replay or discard."))
        }
        if reading.dead > 0 {
            findings.append(
                Finding(
                    "refused", .warning, .deadOpen,
                    "\(reading.dead.of("message", "messages")) could not be processed in the last 24 h and \(reading.dead == 1 ? "is" : "are") open",
                    whatToDo: "tidings dead list shows why; then replay or discard."))
        }
        return findings.orOK("refused", "no rejected intent and no dead message of the last 24 h is open")
    }

    private static func conservation(_ reading: SystemReading) -> [Finding] {
        reading.unaccounted.map { row in
            Finding(
                "conservation", .error, .unaccounted, "\(row.count.grouped) unaccounted for (\(row.kind))",
                whatToDo: "Run tidings db verify: it names the rows.")
        }.orOK("conservation", "everything is accounted for")
    }

    private static func pauses(_ reading: SystemReading) -> [Finding] {
        reading.pauses.map { pause in
            Finding(
                "pauses", .note, .paused,
                "\(pause.target) is paused since \(pause.since.minute(now: reading.now)) by \(pause.by): \(pause.reason); "
                    + "\(pause.deliveries.of("delivery waits", "deliveries wait"))",
                whatToDo: "tidings resume \(pause.target)")
        }.orOK("pauses", "nothing is paused")
    }
}

extension [Finding] {
    /// Returns these findings. If there are neither these nor `others`, returns one finding that the check is ok.
    func orOK(_ check: String, _ words: String, _ others: [Finding] = []) -> [Finding] {
        isEmpty && others.isEmpty ? [.ok(check, words)] : self
    }
}

extension SystemReading {
    /// Whether a process of the role has run long enough to have begun its work.
    fileprivate func hasSettled(_ role: String) -> Bool {
        workers(of: role).contains { $0.state == .running && now - $0.startedAt > Judgement.settling }
    }

    func isFresh(_ queue: Queue) -> Bool {
        queue.sampledAt.map { now - $0 <= Judgement.freshness } ?? false
    }

    /// Whether the queue belongs to a provider that the active catalogue does not have.
    fileprivate func isLeftOver(_ queue: Queue) -> Bool {
        queue.line != nil && ownQueues.map { !$0.contains(queue.name) } ?? false
    }

    /// The running processes that consume the queue. For a delivery queue, the process calls its provider, or has every role. The inbox and
    /// local plans call none, so a process of the role deliver is not counted for their queues.
    fileprivate func consumers(of queue: Queue) -> Int {
        workers(of: queue.role).count { worker in
            guard worker.state == .running, let line = queue.line, worker.role != "all" else { return worker.state == .running }
            return worker.providers.contains(line.provider)
        }
    }

    /// Whether every process that would consume the queue had only just started when the queue was sampled.
    fileprivate func isSettling(_ queue: Queue) -> Bool {
        let sampledAt = queue.sampledAt ?? now
        return runs(queue.role)
            && !workers(of: queue.role).contains { $0.state == .running && sampledAt - $0.startedAt > Judgement.settling }
    }
}

extension SystemReading.Failed {
    /// Whether the deliveries go on failing until an operator changes settings, the catalogue, an address or the content.
    fileprivate var needsOperator: Bool {
        switch ReasonCode(rawValue: reason)?.mender {
        case .operator, nil: true
        case .receiver: channel != Channel.webhook.rawValue
        case .nobody: false
        }
    }
}

extension Duration {
    fileprivate var minutes: String { "\(components.seconds / 60) minutes" }
}

extension SystemReading.Queue {
    fileprivate var isIntake: Bool { name.hasPrefix("tidings.intents.") }

    /// The role that consumes the queue.
    fileprivate var role: String { name.hasPrefix("tidings.deliver.") ? "deliver" : "router" }

    /// The channel and the provider in the queue's name; nil for a queue of the router.
    var line: (channel: String, provider: String)? {
        let parts = name.split(separator: ".")
        return role == "deliver" && parts.count > 3 ? (String(parts[2]), String(parts[3])) : nil
    }

    var remedy: String {
        "Start a process that consumes it: tidings run \(([role] + (line.map { [$0.channel] } ?? [])).joined(separator: " ")). "
            + "If one runs, see its log."
    }
}
