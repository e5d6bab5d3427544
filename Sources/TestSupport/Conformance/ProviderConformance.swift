/// What every provider of Tidings holds, tried with a real service on this machine; for our own providers and for those of an operator.
///
///     let problems = try await ProviderConformance.problems(of: MyProviderSubject())
///     #expect(problems.isEmpty)
///
/// It checks that every outcome can be reported, that the limits are declared and kept, that a service which hangs, resets or is not there
/// ends as it should, that cancelling ends a call whatever the service does, that a closed provider refuses, and that no secret shows up in
/// what it says, even of a service that repeats headers, path and body of what it was sent.
public enum ProviderConformance {
    /// Each in words; none when the provider conforms. Takes some seconds, for time-outs are waited for.
    public static func problems(of subject: some ConformanceSubject) async throws -> [String] {
        let server = try ConformanceServer(subject)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await server.run() }
            let trial = try ConformanceTrial(subject, server)
            await trial.run()
            await server.stop()
            try await group.waitForAll()
            return await trial.problems
        }
    }
}
