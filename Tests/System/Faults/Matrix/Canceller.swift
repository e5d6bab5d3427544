import Foundation
import TidingsCore
import TidingsJSON
import TidingsPostgres
import TidingsTestSupport

/// An operator who cancels some pending notifications, again and again, and remembers the answers.
actor Canceller {
    private static let pause = Duration.milliseconds(300)

    private let system: TestSystem
    private var isStopping = false
    /// The latest time at which `cancelled` was answered, by delivery in the spelling of the webhook. Nothing may be sent after that time.
    private(set) var promises: [String: Timestamp] = [:]

    init(_ system: TestSystem) { self.system = system }

    func run(if isWanted: Bool) async {
        while isWanted, !isStopping {
            // A server that is down at this moment gives no answer.
            try? await cancelSome()
            try? await Task.sleep(for: Self.pause)
        }
    }

    func stop() { isStopping = true }

    private func cancelSome() async throws {
        let pending = try await system.query(
            """
            select id::text from (select unnest(notification_ids) as id from tidings.packs union select notification_id from tidings.due) pending
            order by random() limit 2
            """
        ).rows.map { try $0.decode(String.self) }
        for id in pending {
            let answer = try await system.tidings("notification", "cancel", id, "-o", "json")
            let answered = Timestamp(microseconds: Int64(Date().timeIntervalSince1970 * 1_000_000))
            for row in (try? JSON.parse(answer.output))?.arrayValue ?? [] where row["result"]?.stringValue == "cancelled" {
                guard let delivery = row["delivery_id"]?.stringValue else { continue }
                promises[delivery.replacing("/", with: "-")] = answered
            }
        }
    }
}
