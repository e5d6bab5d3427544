import TidingsCore
import TidingsJSON
import TidingsServer
import TidingsStore

/// A queue in the table of `tidings status`: a row of `tidings_ops.queues`.
struct QueueLine: Sendable {
    private let name: String
    /// Nil before the first sample of the broker. ``consumers`` too.
    private let ready: Int?
    private let consumers: Int?
    /// Nil if no pack of the queue is unfinished. ``deliveries`` and ``oldestAt`` too.
    private let packs: Int?
    private let deliveries: Int?
    private let oldestAt: Timestamp?
    private let waitingSince: Timestamp?
    /// The time as PostgreSQL writes it. At a slow pace it may lie beyond every ``Timestamp``.
    private let clearsAt: String?

    init(_ row: JSON) throws(ReportError) {
        name = try row.column("queue")
        ready = try row.column("ready")
        consumers = try row.column("consumers")
        packs = try row.column("packs")
        deliveries = try row.column("deliveries")
        oldestAt = try row.column("oldest_at")
        waitingSince = try row.column("waiting_since")
        clearsAt = try row.column("clears_at")
    }

    /// True if the queue is empty and has a consumer.
    var isIdle: Bool { (ready ?? 0) == 0 && (packs ?? 0) == 0 && (consumers ?? 0) > 0 }

    func cells(now: Timestamp) -> JSON {
        let since = (waitingSince ?? oldestAt)?.minute(now: now)
        let clears = forecast(now: now)
        return [
            "queue": .string(name), "messages": Self.number(ready), "consumers": Self.number(consumers),
            "deliveries": Self.number(deliveries), "since": since.map { .string($0) } ?? .null,
            "clears": clears.map { .string($0) } ?? .null,
        ]
    }

    private func forecast(now: Timestamp) -> String? {
        guard let ready, ready > 0 else { return nil }
        return clearsAt.flatMap { Timestamp(rfc3339: $0) }?.forecast(now: now)
    }

    private static func number(_ value: Int?) -> JSON { value.map { .number(JSONNumber(Int64($0))) } ?? .null }
}
