import TidingsCore

/// The check of the processes.
extension Judgement {
    /// The roles that must run. Without one of them, intents stand still. A process `all` has each of them.
    fileprivate static let roles: [(name: String, code: Finding.Code)] = [
        ("router", .noRunningRouter), ("deliver", .noRunningDeliver), ("release", .noRunningRelease),
    ]

    /// The role of a process that only serves the API.
    fileprivate static let apiRole = "api"

    /// At least one process of each role must run.
    static func workers(_ reading: SystemReading) -> [Finding] {
        // If commits wait, nothing is known of the processes: the finding about commits names them.
        let unheard = reading.unheard
        let missing =
            roles.filter { role in
                !reading.runs(role.name) && !reading.workers(of: role.name).contains { unheard.contains($0.id) }
            }.map { role in
                Finding(
                    "workers", .error, role.code, "no \(role.name) runs\(reading.end(of: role.name))",
                    whatToDo: "Start one: tidings run \(role.name).")
            } + api(reading)
        let running = reading.workers.count { $0.state == .running || unheard.contains($0.id) }.of("process", "processes")
        let words = unheard.isEmpty ? "run: every role is there" : "ran when commits began to wait: every role was there"
        return missing + lost(reading).orOK("workers", "\(running) \(words)", missing)
    }

    /// The API is optional, so only an installation that has had a process of the role misses it. No queue waits for the API: nothing else
    /// shows that people cannot reach their inbox.
    ///
    /// A process `all` may serve the API as well, and its heartbeat does not say so. Such a process, or a clean stop, lowers the level: an
    /// operator asked for the stop.
    private static func api(_ reading: SystemReading) -> [Finding] {
        guard !reading.runs(apiRole), let last = reading.last(of: apiRole), !reading.unheard.contains(last.id) else { return [] }
        let mayBeServed = reading.workers.contains { $0.role == "all" && $0.state == .running }
        let level: Finding.Level =
            switch last.state {
            case .lost: mayBeServed ? .warning : .error
            case .stopped, .running: mayBeServed ? .note : .warning
            }
        let other = mayBeServed ? " A process of tidings run all serves the API only if TIDINGS_API_LISTEN is set for it." : ""
        return [
            Finding(
                "workers", level, .noRunningAPI, "no api runs\(reading.end(of: apiRole))", whatToDo: "Start one: tidings run api.\(other)")
        ]
    }

    /// A process that only lost the database still holds its messages. The broker gives them to others when its connection ends.
    private static let takeover =
        "Its packs are recovered after their lease. Other processes get its messages when the broker has noticed the end of its connection."

    /// The lost processes. A process is left out if a finding about its role already reports the loss.
    private static func lost(_ reading: SystemReading) -> [Finding] {
        let known = roles.map(\.name) + [apiRole]
        let unheard = reading.unheard
        return reading.workers.filter { worker in
            worker.state == .lost && !unheard.contains(worker.id) && known.allSatisfy { !worker.has($0) || reading.runs($0) }
        }.map { worker in
            let words = "\(worker.id) was lost at \(worker.heartbeatAt.minute(now: reading.now))"
            let abandoned = reading.queuesAbandoned(by: worker)
            if let queue = abandoned.first {
                let more = abandoned.count > 1 ? " and \((abandoned.count - 1).of("more queue"))" : ""
                return Finding(
                    "workers", .error, .workerLost, "\(words), and no process consumes \(queue.name)\(more)", whatToDo: queue.remedy)
            }
            if reading.isReplaced(worker) {
                return Finding(
                    "workers", .note, .workerLost, "\(words), a process of its role has started since",
                    whatToDo: "See its log if you did not kill it. \(takeover)")
            }
            guard worker.role == "all" || reading.runs(worker.role) else {
                return Finding(
                    "workers", .warning, .workerLost, "\(words), and no other process of its role runs",
                    whatToDo: "See its log and its machine.")
            }
            return Finding(
                "workers", .warning, .workerLost, "\(words), another process of its role runs",
                whatToDo: "See its log and its machine. \(takeover)")
        }
    }
}

extension SystemReading {
    func workers(of role: String) -> [Worker] { workers.filter { $0.has(role) } }

    func runs(_ role: String) -> Bool { workers(of: role).contains { $0.state == .running } }

    /// The process of the role with the latest heartbeat.
    fileprivate func last(of role: String) -> Worker? { workers(of: role).max { $0.heartbeatAt < $1.heartbeatAt } }

    /// The end of the last process of a role as the end of a sentence. Empty if no process of the role is known.
    fileprivate func end(of role: String) -> String {
        let last = last(of: role)
        return switch last?.state {
        case .lost: ", the last one was lost at \((last?.heartbeatAt ?? now).minute(now: now))"
        case .stopped: ", the last one stopped at \((last?.stoppedAt ?? now).minute(now: now))"
        case .running, nil: ""
        }
    }

    /// Whether a running process has started for each lost process of this role since this one was lost. So a process that dies again and
    /// again is not replaced.
    fileprivate func isReplaced(_ lost: Worker) -> Bool {
        let peers = workers.filter { $0.role == lost.role }
        let started = peers.count { $0.state == .running && $0.startedAt >= lost.heartbeatAt }
        return started >= peers.count { $0.state == .lost }
    }

    /// The delivery queues that a lost process consumed and no process consumes now. Processes of the role deliver may have different
    /// channels, so a running one does not prove that the work of the lost one goes on.
    ///
    /// The heartbeat names the providers that the process called. The inbox and local plans call none, so their queues may always have been
    /// those of the process. Empty if a process of the role has only just started when the queues were sampled.
    fileprivate func queuesAbandoned(by lost: Worker) -> [Queue] {
        guard lost.has("deliver") else { return [] }
        return queues.filter { queue in
            guard isFresh(queue), queue.consumers == 0, let line = queue.line, let sampledAt = queue.sampledAt else { return false }
            guard lost.providers.contains(line.provider) || Self.withoutCalls.contains(line.channel) else { return false }
            return !workers(of: "deliver").contains { $0.state == .running && sampledAt - $0.startedAt <= Judgement.settling }
        }
    }

    /// The channels whose usual providers call no service, so that no heartbeat names them.
    private static let withoutCalls = [Channel.inApp.rawValue, Channel.local.rawValue]
}

extension SystemReading.Worker {
    /// Whether the process has the role. A process `all` has every role that must run.
    fileprivate func has(_ name: String) -> Bool {
        role == name || role == "all" && Judgement.roles.contains { $0.name == name }
    }
}
