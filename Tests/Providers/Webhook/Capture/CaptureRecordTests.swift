import Foundation
import ProviderWebhook
import Testing
import TidingsCapture
import TidingsCore
import TidingsJSON

/// The record file holds exactly the requests that arrived.
struct CaptureRecordTests {
    private func temporaryPath() -> String { NSTemporaryDirectory() + "capture-\(UUID().uuidString).jsonl" }

    private func lines(_ path: String) throws -> [JSON] {
        try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map { try JSON.parse(String($0)) }
    }

    @Test func theRecordHoldsEveryRequestInOrderWithItsAnswer() async throws {
        let path = temporaryPath()
        defer { unlink(path) }
        try await withCapture(CaptureConfiguration(recordPath: path, secrets: [testSecret])) { _, origin in
            try await withWebhooks { provider in
                for attempt in 1...3 {
                    _ = await provider.send(.sample(to: "\(origin)/fail/2/x", key: "one"))
                    // The request is in the file before the sender gets its answer.
                    let count = try lines(path).count
                    #expect(count == attempt)
                }
                _ = await provider.send(.sample(to: "\(origin)/reset", key: "two"))
            }
        }
        let record = try lines(path)
        #expect(record.map { $0["webhookId"]?.stringValue } == ["one", "one", "one", "two"])
        #expect(record.map { $0["attempt"]?.intValue } == [1, 2, 3, 1])
        #expect(record.map { $0["status"]?.intValue } == [500, 500, 200, nil])
        #expect(record.allSatisfy { $0["signature"]?.stringValue == "valid" && $0["path"]?.stringValue?.hasPrefix("/") == true })
        let body = try JSON.parse(try #require(record[0]["body"]?.stringValue))
        #expect(body["type"]?.stringValue == "orderUpdate")
    }

    @Test func anExistingRecordIsAppendedTo() async throws {
        let path = temporaryPath()
        defer { unlink(path) }
        for _ in 1...2 {
            try await withCapture(CaptureConfiguration(recordPath: path)) { _, origin in
                _ = try await withWebhooks { await $0.send(.sample(to: "\(origin)/ok")) }
            }
        }
        #expect(try lines(path).count == 2)
    }

    @Test func aFullDiskAcceptsNothing() async throws {
        try await withCapture(CaptureConfiguration(recordPath: "/dev/full")) { server, origin in
            let result = try await withWebhooks { await $0.send(.sample(to: "\(origin)/ok")) }
            #expect(result.status == 507)
            #expect(server.stats.requests == 0)
        }
    }

    @Test func aPathThatCannotBeOpenedIsTold() {
        let error = #expect(throws: CaptureError.self) {
            try CaptureServer(configuration: CaptureConfiguration(recordPath: "/nonexistent/record.jsonl"))
        }
        #expect(error?.message.contains("/nonexistent/record.jsonl") == true)
    }
}
