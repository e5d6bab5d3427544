import TidingsJSON
import TidingsTestSupport

/// An operator who looks all the time: at `/health/ready` of each process every second, and at `tidings status` and `tidings doctor` every
/// few seconds. Notes from when to when each was not green.
actor HealthObserver {
    private static let readyEvery = Duration.seconds(1)
    private static let commandsEvery = Duration.seconds(5)

    /// A time in which something was not green.
    struct Span: Sendable, Equatable {
        /// `ready router 1`, `status` or `doctor`.
        let subject: String
        let from: ContinuousClock.Instant
        /// The first look at which all was green again. Nil if none was.
        var to: ContinuousClock.Instant?
        let words: String
    }

    private let crew: Crew
    private let environment: [String: String]
    private var clients: [Int32: HealthClient] = [:]
    private var isStopping = false
    private var faultBegan: ContinuousClock.Instant?
    /// The codes of the warnings at the last look before the fault, by command.
    private var usual: [String: Set<String>] = [:]
    private(set) var spans: [Span] = []

    /// - Parameter environment: for the commands, with the login of a process.
    init(crew: Crew, environment: [String: String]) { (self.crew, self.environment) = (crew, environment) }

    /// Looks until ``stop()``.
    func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.repeatedly(every: Self.readyEvery) { await self.lookAtProcesses() } }
            group.addTask { await self.repeatedly(every: Self.commandsEvery) { await self.look("status") } }
            group.addTask { await self.repeatedly(every: Self.commandsEvery) { await self.look("doctor") } }
        }
    }

    func stop() { isStopping = true }

    /// Notes the beginning of the fault. Warnings of the last look count as green.
    func begin() { faultBegan = .now }

    /// The time from the beginning of the fault until the first look that was not green, by `ready`, `status` and `doctor`.
    var firstNotGreen: [String: Duration] {
        guard let faultBegan else { return [:] }
        return spans.reduce(into: [:]) { first, span in
            let kind = String(span.subject.prefix { $0 != " " })
            let after = max(.zero, span.from - faultBegan)
            first[kind] = min(first[kind] ?? after, after)
        }
    }

    /// One line for each time in which something was not green, in seconds from the beginning of the fault.
    var lines: [String] {
        guard let faultBegan else { return [] }
        return spans.map { span in
            let end = span.to.map { Self.seconds($0 - faultBegan) } ?? "the end"
            return "  \(span.subject) from \(Self.seconds(span.from - faultBegan)) to \(end): \(span.words)"
        }
    }

    static func seconds(_ time: Duration) -> String {
        let tenths = Int(time / .milliseconds(100))
        return "\(tenths / 10).\(abs(tenths % 10)) s"
    }

    private func repeatedly(every pause: Duration, _ look: @Sendable () async -> Void) async {
        while !isStopping {
            let next = ContinuousClock.now + pause
            await look()
            try? await Task.sleep(until: next)
        }
    }

    private func lookAtProcesses() async {
        await withDiscardingTaskGroup { group in
            for (name, process) in await crew.running { group.addTask { await self.look(at: process, name: name) } }
        }
    }

    private func look(at process: TestProcess, name: String) async {
        let answer: (status: Int, type: String, text: String)
        do {
            if clients[process.processID] == nil { clients[process.processID] = try await HealthClient(of: process) }
            guard let client = clients[process.processID] else { return }
            answer = try await client.ask("/health/ready")
        } catch {
            // A process that was killed meanwhile is no finding.
            if process.isRunning { note("ready \(name)", problem: "\(error)") }
            return
        }
        note("ready \(name)", problem: answer.status == 200 ? nil : answer.text.split(separator: "\n").joined(separator: " "))
    }

    /// Runs a command. Its warnings and errors count, but the usual ones.
    private func look(_ command: String) async {
        guard let run = try? TestProcess([TestSystem.binary, command, "-o", "json"], environment: environment) else { return }
        let result = await run.finish()
        let problems = Self.problems(in: result.output, exitCode: result.exitCode, errors: result.errors)
        guard faultBegan != nil else {
            usual[command] = Set(problems.keys)
            return
        }
        let new = problems.filter { usual[command]?.contains($0.key) != true }
        note(command, problem: new.isEmpty ? nil : new.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: "; "))
    }

    /// The warnings and errors in the answer of `tidings status` or `tidings doctor`, by their codes. Without an answer, the exit code.
    static func problems(in output: String, exitCode: Int32, errors: String) -> [String: String] {
        let answer = try? JSON.parse(output)
        guard let findings = answer?.arrayValue ?? answer?["problems"]?.arrayValue else {
            return ["exit \(exitCode)": String(errors.split(separator: "\n").first ?? "no answer")]
        }
        return findings.reduce(into: [:]) { problems, finding in
            guard let level = finding["level"]?.stringValue, ["warning", "error"].contains(level) else { return }
            let code = finding["code"]?.stringValue ?? finding["check"]?.stringValue ?? level
            problems[code] = finding["words"]?.stringValue ?? finding["detail"]?.stringValue ?? ""
        }
    }

    private func note(_ subject: String, problem: String?) {
        guard faultBegan != nil else { return }
        let open = spans.lastIndex { $0.subject == subject && $0.to == nil }
        switch (open, problem) {
        case (nil, let words?): spans.append(Span(subject: subject, from: .now, words: words))
        case (let index?, nil): spans[index].to = .now
        case (nil, nil), (_?, _?): break
        }
    }
}
