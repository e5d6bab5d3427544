import TidingsCore
import TidingsProvider

/// The test of one provider. Each step adds the problems that it found.
actor ConformanceTrial {
    let subject: any ConformanceSubject
    let server: ConformanceServer
    let provider: any Provider
    let delivery: OutgoingDelivery
    private(set) var problems: [String] = []

    init(_ subject: any ConformanceSubject, _ server: ConformanceServer) throws {
        self.subject = subject
        self.server = server
        provider = try subject.makeProvider(calling: server.service)
        delivery = subject.delivery(calling: server.service)
    }

    func run() async {
        checkLimits()
        await checkTokens()
        for outcome in ConformanceOutcome.allCases where subject.unreachable[outcome] == nil { await reach(outcome) }
        await sendTooMuch()
        await shortenTexts()
        await sendTogether()
        await keepThreadsApart()
        await writeHostileKeys()
        await meetAReset()
        await meetSilence()
        await meetAbsence()
        await meetEchoes()
        await spoilSecrets()
        await cancelBeforehand()
        await cancelWhileAnswered()
        await cancel()
        await close()
        complainOfSecrets(in: subject.logLines.joined(separator: "\n"), "a log line")
    }

    func complain(_ words: String) { problems.append(words) }

    private func checkLimits() {
        let limits = provider.limits
        if provider.name.isEmpty { complain("it has no name") }
        if limits.maximumBodyBytes < 1 { complain("maximumBodyBytes is \(limits.maximumBodyBytes)") }
        if limits.maximumConcurrency < 1 { complain("maximumConcurrency is \(limits.maximumConcurrency)") }
        if limits.maximumTogether < 1 { complain("maximumTogether is \(limits.maximumTogether)") }
        if limits.sendTimeout <= .zero || limits.sendTimeout > longestSendTimeout {
            complain("sendTimeout is \(limits.sendTimeout), and must be above zero and at most \(longestSendTimeout)")
        }
    }

    func send(_ item: OutgoingDelivery) async -> SendResult { checked(await provider.send(item)) }

    /// Returns the result unchanged and complains about a secret in it.
    private func checked(_ result: SendResult, _ occasion: String = "") -> SendResult {
        complainOfSecrets(in: "\(result)", occasion.isEmpty ? "a result" : "a result (\(occasion))")
        return result
    }

    func complainOfSecrets(in words: String, _ place: String) {
        for name in server.secrets.found(in: words).sorted() { complain("\(place) holds \(name)") }
    }

    private func reach(_ outcome: ConformanceOutcome) async {
        server.become(.answering(outcome))
        // Use a new provider: after a refusal, a provider may remember the refusal for a while.
        guard let provider = try? subject.makeProvider(calling: server.service) else { return complain("it can be made only once") }
        let result = checked(await provider.send(delivery))
        if !outcome.matches(result.outcome) { complain("\(outcome.rawValue) was answered, and it said \(result)") }
        await provider.close()
        server.become(.answering(.accepted))
    }

    private func sendTogether() async {
        let before = server.deliveries
        let items = Array(repeating: delivery, count: min(3, provider.limits.maximumTogether))
        let results = await provider.send(together: items)
        if results.count != items.count { complain("\(items.count) sent together came to \(results.count) results") }
        if items.count > 1, server.deliveries != before + 1 { complain("\(items.count) together took \(server.deliveries - before) calls") }
    }

    private func meetAReset() async {
        server.become(.resetting)
        let before = server.deliveries
        let result = await send(delivery)
        if case .unknown = result.outcome {} else { complain("a reset after the request came to \(result), not unknown") }
        if server.deliveries != before + 1 { complain("after a reset the request was sent \(server.deliveries - before) times") }
    }

    private func meetSilence() async {
        server.become(.hanging)
        let began = ContinuousClock.now
        let result = await send(delivery)
        let took = ContinuousClock.now - began
        if case .unknown = result.outcome {} else { complain("silence after the request came to \(result), not unknown") }
        if took > provider.limits.sendTimeout + .seconds(1).patient { complain("silence took \(took), beyond sendTimeout") }
    }

    private func meetAbsence() async {
        guard let absent = try? AbsentService() else { return complain("there is no port to be absent from") }
        var service = server.service
        service.origin = "https://127.0.0.1:\(absent.port)"
        guard let provider = try? subject.makeProvider(calling: service) else { return complain("it can be made only once") }
        let began = ContinuousClock.now
        let result = checked(await provider.send(subject.delivery(calling: service)))
        let took = ContinuousClock.now - began
        if case .retry = result.outcome {} else { complain("an absent service came to \(result), not retry") }
        if took > provider.limits.sendTimeout + .seconds(1).patient { complain("an absent service took \(took), beyond sendTimeout") }
        await provider.close()
    }

    private func meetEchoes() async {
        for echo in ConformanceEcho.all { await meet(echo) }
        for outcome in ConformanceOutcome.allCases {
            for text in 0..<ConformanceEcho.mostTexts {
                guard await meet(ConformanceEcho(form: .answer(outcome, text: text))) else { break }
            }
        }
        server.become(.answering(.accepted))
    }

    /// Returns whether the service had a text to repeat.
    @discardableResult private func meet(_ echo: ConformanceEcho) async -> Bool {
        server.become(.echoing(echo))
        // Use a new provider: after a refusal, a provider may remember the refusal for a while.
        guard let provider = try? subject.makeProvider(calling: server.service) else {
            complain("it can be made only once")
            return false
        }
        _ = checked(await provider.send(delivery), "\(echo)")
        await provider.close()
        return server.hasEchoed
    }

    /// Makes the provider with secrets that are cut, doubled, reversed or missing. The errors must not contain the secrets.
    private func spoilSecrets() async {
        let changes: [(String) -> String] = [
            { String($0.prefix($0.count / 2)) }, { String($0.suffix($0.count / 2)) }, { $0 + $0 }, { String($0.reversed()) },
            { "\u{1}\($0)\u{1}" },
            { _ in "" },
        ]
        for change in changes {
            do {
                try await subject.makeProvider(calling: server.service, changing: change)?.close()
            } catch {
                complainOfSecrets(in: "\(error) \(String(reflecting: error))", "an error")
            }
        }
    }

    /// Sends in a task that is cancelled beforehand.
    private func cancelBeforehand() async {
        server.become(.answering(.accepted))
        let before = server.deliveries
        let (provider, delivery) = (provider, delivery)
        let began = ContinuousClock.now
        let result = await withTaskGroup(of: SendResult.self) { group in
            group.cancelAll()
            group.addTask { await provider.send(delivery) }
            return await group.next()
        }
        let took = ContinuousClock.now - began
        guard let result = result.map({ checked($0) }) else { return }
        if took > provider.limits.sendTimeout / 2 { complain("a call that was cancelled beforehand went on for \(took)") }
        guard server.deliveries == before else { return }
        if case .retry = result.outcome {} else { complain("a call that was cancelled before it reached the service came to \(result)") }
    }

    /// Cancels calls while their answers arrive. Each call must end as accepted, retry or unknown, and later calls must still
    /// work.
    private func cancelWhileAnswered() async {
        server.become(.answering(.accepted))
        let next = server.deliveries + 1
        let (provider, delivery, server) = (provider, delivery, server)
        let count = min(ConformanceTrial.callsAtOnce, provider.limits.maximumConcurrency)
        let began = ContinuousClock.now
        let results = await withTaskGroup(of: SendResult.self) { group in
            for _ in 0..<count { group.addTask { await provider.send(delivery) } }
            await server.waitForDeliveries(next)
            group.cancelAll()
            return await group.reduce(into: []) { $0.append($1) }
        }
        let took = ContinuousClock.now - began
        if took > provider.limits.sendTimeout / 2 { complain("calls that were cancelled while they were answered went on for \(took)") }
        for result in results {
            switch checked(result).outcome {
            case .accepted, .retry, .unknown: continue
            case .rejected, .endpointGone, .misconfigured: complain("a call that was cancelled came to \(result)")
            }
        }
        let later = await send(delivery)
        if case .accepted = later.outcome {} else { complain("after calls were cancelled, one came to \(later)") }
    }

    /// The most concurrent calls, if the provider allows that many.
    private static let callsAtOnce = 20

    private func cancel() async {
        server.become(.hanging)
        let next = server.deliveries + 1
        let (provider, delivery, server) = (provider, delivery, server)
        let began = ContinuousClock.now
        await withTaskGroup(of: Void.self) { group in
            group.addTask { _ = await provider.send(delivery) }
            await server.waitForDeliveries(next)
            group.cancelAll()
        }
        let took = ContinuousClock.now - began
        if took > provider.limits.sendTimeout / 2 { complain("a cancelled call went on for \(took)") }
    }

    private func close() async {
        server.become(.answering(.accepted))
        await provider.close()
        let before = server.deliveries
        let result = await send(delivery)
        if case .accepted = result.outcome { complain("it sends after it was closed") }
        if server.deliveries != before { complain("a closed provider called its service") }
    }
}

/// A worker's lease lasts 25 seconds, and a send must end well before that.
private let longestSendTimeout = Duration.seconds(20)
