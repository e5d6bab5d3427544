import TidingsCore
public import TidingsProvider

/// What every provider of Tidings holds, tried with a real service on this machine; for our own providers and for those of an operator.
///
///     let problems = try await ProviderConformance.problems(of: MyProviderSubject())
///     #expect(problems.isEmpty)
///
/// It checks that every outcome can be reported, that the limits are declared and kept, that a service which hangs, resets or is not there
/// ends as it should, that cancelling ends a call, that a closed provider refuses, and that no secret shows up in what it says.
public enum ProviderConformance {
    /// Each in words; none when the provider conforms. Takes some seconds, for time-outs are waited for.
    public static func problems(of subject: some ConformanceSubject) async throws -> [String] {
        let server = try ConformanceServer(subject)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await server.run() }
            let trial = try Trial(subject, server)
            await trial.run()
            await server.stop()
            try await group.waitForAll()
            return await trial.problems
        }
    }
}

/// One provider being tried. Each step says what it found wrong.
private actor Trial {
    private let subject: any ConformanceSubject
    private let server: ConformanceServer
    private let provider: any Provider
    private let delivery: OutgoingDelivery
    private(set) var problems: [String] = []

    init(_ subject: any ConformanceSubject, _ server: ConformanceServer) throws {
        self.subject = subject
        self.server = server
        provider = try subject.makeProvider(calling: server.service)
        delivery = subject.delivery(calling: server.service)
    }

    func run() async {
        checkLimits()
        for outcome in ConformanceOutcome.allCases where subject.unreachable[outcome] == nil { await reach(outcome) }
        await sendTooMuch()
        await sendTogether()
        await meetAReset()
        await meetSilence()
        await cancel()
        await close()
    }

    private func complain(_ words: String) { problems.append(words) }

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

    private func send(_ item: OutgoingDelivery) async -> SendResult { checked(await provider.send(item)) }

    /// The result as it is; complains of a secret in it.
    private func checked(_ result: SendResult) -> SendResult {
        let words = "\(result)"
        for (number, secret) in subject.secrets.enumerated() where words.contains(secret) { complain("a result holds secret \(number)") }
        return result
    }

    private func reach(_ outcome: ConformanceOutcome) async {
        server.become(.answering(outcome))
        // A provider of its own, for one that was refused once may remember it for a while.
        guard let provider = try? subject.makeProvider(calling: server.service) else { return complain("it can be made only once") }
        let result = checked(await provider.send(delivery))
        if !outcome.matches(result.outcome) { complain("\(outcome.rawValue) was answered, and it said \(result)") }
        await provider.close()
        server.become(.answering(.accepted))
    }

    private func sendTooMuch() async {
        let before = server.deliveries
        var item = delivery
        item.body = String(repeating: "x", count: provider.limits.maximumBodyBytes + 1)
        let result = await send(item)
        if result.outcome != .rejected(.payloadTooLarge) { complain("a body beyond maximumBodyBytes came to \(result)") }
        if server.deliveries != before { complain("a body beyond maximumBodyBytes was sent") }
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
        if took > provider.limits.sendTimeout + .seconds(1) { complain("silence took \(took), beyond sendTimeout") }
    }

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

/// A worker's claim on what it sends lasts 25 seconds.
private let longestSendTimeout = Duration.seconds(20)
