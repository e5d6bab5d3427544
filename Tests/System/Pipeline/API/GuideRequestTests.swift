import Foundation
import Testing
import TidingsJWT
import TidingsTestSupport

/// The requests of the guides, in the shell of a reader who has run the program of Producers before and follows the pages in their order.
@Suite struct GuideRequestTests {
    @Test func everyRequestIsAnsweredAsShown() async throws {
        let guides = try Guides()
        let (program, requests) = (try guides.example("pika"), guides.requests)
        #expect(requests.count >= 20, "the guides show requests: \(requests.map(\.command))")
        // The names that `tidings token` signs with.
        let variables = ["TIDINGS_API_ISSUER": "tidings-dev", "TIDINGS_API_AUDIENCE": "tidings"]
        try await withAPI(variables: variables, preparing: { _ in nil }) { api in
            try await Self.publish(program, to: api.pipeline)
            let answers = try await Self.answers(to: requests.map(\.command), of: api)
            #expect(answers.count == requests.count, "\(answers)")
            for (request, answer) in zip(requests, answers) where request.command.contains("curl ") {
                #expect(Self.beginning(of: answer) == Self.beginning(of: request.answer), "\(request.command)\n\(answer)")
            }
        }
    }

    private static func publish(_ program: String, to pipeline: Pipeline) async throws {
        try await withFile(program) { path in
            // pika refuses the time limit in the URL of the system's own processes.
            let environment = pipeline.system.environment.merging(["TIDINGS_AMQP_URL": pipeline.system.amqpURL]) { $1 }
            let result = try await TestProcess(["/usr/bin/python3", path], environment: environment).finish()
            try #require(result.exitCode == 0, "\(result.errors)")
        }
        _ = try await pipeline.outcome(of: "order-17-shipped")
    }

    /// Runs the commands in one shell, in a folder that looks like that of a running `tidings dev`. Returns the output of each command.
    private static func answers(to commands: [String], of api: APIScene) async throws -> [String] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tidings-\(UUID().uuidString)")
        let home = folder.appendingPathComponent(".tidings")
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let key = try await api.key("intents:write", "notifications:read").dropFirst("Bearer ".count)
        let addresses = "TIDINGS_API_URL=\(api.url)\nTIDINGS_API_KEY=\(key)\n"
        try addresses.write(to: home.appendingPathComponent("env"), atomically: true, encoding: .utf8)
        try api.signer.pem.write(to: home.appendingPathComponent("token-key.pem"), atomically: true, encoding: .utf8)

        var environment = api.pipeline.system.environment
        let binaries = URL(fileURLWithPath: TestSystem.binary).deletingLastPathComponent().path
        environment["PATH"] = binaries + ":" + (environment["PATH"] ?? "/usr/bin:/bin")
        let script = commands.map { "printf '\\n\(mark)\\n'\n\($0)\n" }.joined()
        let result = try await TestProcess(
            ["/bin/bash", "-euo", "pipefail", "-c", script], environment: environment, directory: folder.path
        ).finish()
        #expect(result.exitCode == 0, "\(result.output)\(result.errors)")
        return result.output.components(separatedBy: "\n\(mark)\n").dropFirst().map { $0 }
    }

    /// A line before the output of each command.
    private static let mark = "@@ next command"

    /// The first member of an answer, with the type of a problem. Empty for an answer without a body.
    private static func beginning(of answer: String) -> String {
        answer.prefixMatch(of: /\{"[^"]+":(?:"urn:tidings:problem:[^"]*")?/).map { String($0.output) } ?? String(answer.prefix(1))
    }
}
