import Foundation
import Testing
import TidingsTestSupport

/// A proxy learns of a stop before the address is closed, so no request of a person fails.
@Suite struct StopDelayTests {
    @Test func aProcessThatStopsSaysSoBeforeItCloses() async throws {
        try await withAPI(variables: ["TIDINGS_API_STOP_DELAY": "6s"], preparing: { _ in nil }) { api in
            let stream = try StreamReader(api, person: "ada")
            #expect(try await stream.next("inbox") != nil)
            api.pipeline.roles.signal(SIGTERM)
            let isTold = try await eventually { try await api.ask("GET", "/health/ready").status == 503 }
            #expect(isTold)
            // Requests and streams that come meanwhile are served.
            #expect(try await api.ask("ada", "GET", "/api/notifications").status == 200)
            let late = try StreamReader(api, person: "ada")
            #expect(try await late.next("inbox") != nil)
            let (ends, result) = try await withoutPlace {
                (try await [stream.next("bye"), late.next("bye")], await api.pipeline.roles.finish())
            }
            #expect(ends.allSatisfy { $0 != nil })
            #expect(result.exitCode == 0, "\(result.errors.suffix(2_000))")
            #expect(throws: POSIXError.self) { try RawClient(port: api.port) }
        }
    }
}
