import Testing
import TidingsTestSupport

/// A process with very few file descriptors reports what is missing, and is not ended by a signal.
@Suite struct FewDescriptorsTests {
    /// The client library has none: the event is not sent. With a few more, the event is sent.
    @Test func aProducerWithoutDescriptorsGetsAnError() async throws {
        try await withOwnSystem { system in
            let results = try await Self.send(withAtMost: 7...16, in: system)
            // These exit codes are the numbers of signals: 4, 5, 6 and 11.
            for result in results { #expect(![4, 5, 6, 11].contains(result.exitCode), "\(result.errors)") }
            #expect(results.contains { $0.errors.contains("no file descriptor for thread amqp-publisher") })
        }
    }

    /// The runtime has none. At three the libraries cannot be loaded.
    @Test func aProcessThatCannotStartSaysSo() async throws {
        try await withOwnSystem { system in
            for result in try await Self.send(withAtMost: 4...6, in: system) {
                #expect(result.exitCode == 78, "\(result.errors)")
                #expect(result.errors.contains("ulimit -n"), "\(result.errors)")
            }
        }
    }

    /// Sends an event in one process for each limit of open files.
    private static func send(withAtMost limits: ClosedRange<Int>, in system: TestSystem) async throws -> [TestProcess.Result] {
        try await withThrowingTaskGroup(of: TestProcess.Result.self) { group in
            for limit in limits {
                let command = "ulimit -n \(limit); exec \"$0\" send orderUpdate --no-check --to ann --title T"
                group.addTask {
                    try await TestProcess(["/bin/sh", "-c", command, TestSystem.binary], environment: system.environment).finish()
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }
}
