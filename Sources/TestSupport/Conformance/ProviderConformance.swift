/// The rules that every provider of Tidings must keep, tested with a real service on this machine. For Tidings' own providers and for those
/// of an operator.
///
///     let problems = try await ProviderConformance.problems(of: MyProviderSubject())
///     #expect(problems.isEmpty)
///
/// The test checks these rules:
///
/// - The provider can report every outcome.
/// - The provider declares its limits and keeps to them.
/// - A call to a service that hangs, resets or is absent ends with the right outcome.
/// - Every spelling of a token is one device, and a token that cannot be sent to is refused when it is registered.
/// - Cancelling ends a call, whatever the service does.
/// - A closed provider refuses.
/// - A text that is too long is shortened at the edge of a character, and the result has a note of it (if
///   ``ConformanceSubject/content(of:)`` names the texts). Each part has the size that its service takes.
/// - The group key and the collapse key are two things, and an empty key is none (if ``ConformanceSubject/content(of:)`` names the fields).
/// - Every key becomes one that its field takes (see ``TidingsProvider/KeyForm``).
/// - No secret appears in the provider's results, even if the service repeats headers, path and body of the request.
public enum ProviderConformance {
    /// Returns each problem in words; empty if the provider conforms. Takes some seconds, because the test waits for timeouts.
    public static func problems(of subject: some ConformanceSubject) async throws -> [String] {
        let server = try ConformanceServer(subject)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            // The server answers beside the trial, and ends with `stop()`. The group awaits it.
            group.addTask { await server.run() }
            let trial = try ConformanceTrial(subject, server)
            await trial.run()
            await server.stop()
            try await group.waitForAll()
            return await trial.problems
        }
    }
}
