import Testing
import TidingsTestSupport

/// A process with very few file descriptors: the client library reports what is missing, and does not end its process.
@Suite struct FewDescriptorsTests {
    @Test func aProducerWithoutDescriptorsGetsAnError() async throws {
        try await withOwnSystem { system in
            let environment = system.environment
            // The runtime needs two descriptors beside the three of every process, and cannot start without them. With a few more, the
            // event is sent.
            let results = try await withThrowingTaskGroup(of: TestProcess.Result.self) { group in
                for limit in 6...16 {
                    group.addTask {
                        try await TestProcess(
                            [
                                "/bin/sh", "-c",
                                "\(Self.closeOthers)ulimit -n \(limit); exec \"$0\" send orderUpdate --no-check --to ann --title T",
                                TestSystem.binary,
                            ], environment: environment
                        ).finish()
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            // These exit codes are the numbers of signals: 4, 5, 6 and 11.
            for result in results { #expect(![4, 5, 6, 11].contains(result.exitCode), "\(result.errors)") }
            #expect(results.contains { $0.errors.contains("no file descriptor for thread amqp-publisher") })
        }
    }

    /// Closes descriptors of this process that a child inherits if it is started while another test makes them.
    private static let closeOthers = (3...9).map { "exec \($0)>&-; " }.joined()
}
