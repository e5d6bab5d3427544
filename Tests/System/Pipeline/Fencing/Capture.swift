import Foundation
import Testing
import TidingsTestSupport

/// `tidings capture` as the receiver of webhooks. Its record is a second witness beside the database.
struct Capture {
    /// The address of the receiver, with a slash at the end.
    let url: String
    private let record: String

    static func with<Result>(in system: TestSystem, _ body: (Capture) async throws -> Result) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tidings-capture-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let record = folder.appendingPathComponent("captured.jsonl").path
        let process = try system.start("capture", "--record", record)
        let prefix = "capturing on "
        let listens = try await process.says(/capturing on [^\n]*\n/)
        try #require(listens, "\(process.errorsSoFar)")
        let line = try #require(process.outputSoFar.split(separator: "\n").first { $0.hasPrefix(prefix) })
        return try await body(Capture(url: String(line.dropFirst(prefix.count)), record: record))
    }

    /// The number of 2xx answers of the receiver, by `webhook-id`.
    func accepted() throws -> [String: Int] {
        let text = (try? String(contentsOfFile: record, encoding: .utf8)) ?? ""
        var counts: [String: Int] = [:]
        for line in text.split(separator: "\n") {
            let request = try JSONDecoder().decode(Request.self, from: Data(line.utf8))
            guard let id = request.webhookId, let status = request.status, (200...299).contains(status) else { continue }
            counts[id, default: 0] += 1
        }
        return counts
    }

    private struct Request: Decodable {
        var webhookId: String?
        var status: Int?
    }
}
