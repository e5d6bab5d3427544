import Testing
import TidingsCore
import TidingsJSON
import TidingsStore

@testable import TidingsCommands

/// Rows of reports that commands read. A row without a column must not look like a row that counted nothing.
@Suite struct ReportRowTests {
    /// A type that is read from a row.
    struct Reader: Sendable, CustomTestStringConvertible {
        let name: String
        /// A row with the columns that are read, and no other one.
        let row: JSON
        /// The columns that may be null.
        let nullable: Set<String>
        let read: @Sendable (JSON) throws -> Void

        var testDescription: String { name }
        var columns: [String] { row.objectValue?.keys ?? [] }

        /// The row with another value in a column. Nil takes the column out.
        func changed(_ column: String, to value: JSON?) -> JSON {
            var members = row.objectValue ?? JSONObject()
            members[column] = value
            return .object(members)
        }
    }

    static let readers: [Reader] = [
        Reader(name: "BulkYield", row: bulkYield, nullable: ["urgent_took_ms", "clears_at"]) { _ = try BulkYield($0) },
        Reader(
            name: "QueueLine", row: queue,
            nullable: ["ready", "consumers", "packs", "deliveries", "oldest_at", "waiting_since", "clears_at"]
        ) { _ = try QueueLine($0) },
        Reader(name: "WorkerLine", row: worker, nullable: []) { _ = try WorkerLine($0) },
        Reader(
            name: "EventRefusal", row: refusal, nullable: ["source", "event_id", "type", "recipient_id", "what_to_do"]
        ) { _ = try EventRefusal($0) },
        Reader(name: "RefusedExplanation", row: refusal, nullable: ["source", "event_id", "type", "recipient_id", "what_to_do"]) {
            _ = try RefusedExplanation($0)
        },
        Reader(name: "ErasureProgress", row: erasure, nullable: ["waits_for"]) { _ = try ErasureProgress($0) },
        Reader(name: "KeptCatalogue", row: catalogue, nullable: ["activated_at", "author", "reason"]) { _ = try KeptCatalogue($0) },
        Reader(
            name: "History", row: activation,
            nullable: ["activated_at", "ended_at", "action", "author", "database_role", "reason"]
        ) { _ = try CatalogueCommand.History.shown($0) },
    ]

    private static let bulkYield: JSON = [
        "worker_id": "deliver-host-1", "bulk_pause_ms": 20, "urgent_took_ms": 900, "bulk_ready": 7,
        "clears_at": "2026-11-24T19:04:00+00:00",
    ]

    private static let queue: JSON = [
        "queue": "tidings.intents.bulk", "ready": 7, "consumers": 1, "packs": 2, "deliveries": 90,
        "oldest_at": "2026-11-24T19:00:00+00:00", "waiting_since": "2026-11-24T19:01:00+00:00", "clears_at": "2026-11-24T19:03:01+00:00",
    ]

    private static let worker: JSON = [
        "worker_id": "deliver-host-1", "state": "running", "handled": 12, "started_at": "2026-11-24T18:00:00+00:00",
        "heartbeat_at": "2026-11-24T19:02:28+00:00",
    ]

    private static let refusal: JSON = [
        "rejected_id": 41, "reason_code": "unknownType", "pointer": "/type", "message": "the catalogue has no type x",
        "source": "/shop", "event_id": "e-1", "type": "x", "recipient_id": "ada", "recipients": 3, "verified": false, "occurrences": 2,
        "state": "discarded", "last_at": "2026-11-24T19:00:00+00:00", "what_to_do": "Add the type.",
    ]

    private static let erasure: JSON = ["state": "running", "step": "devices", "waits_for": "calls"]

    private static let catalogue: JSON = [
        "hash": "0123456789abcdef0123", "yaml": "types: {}", "active": true, "activated_at": "2026-11-24T19:00:00+00:00", "author": "me",
        "reason": "more types",
    ]

    private static let activation: JSON = [
        "hash": "0123456789abcdef0123", "activated_at": "2026-11-24T19:00:00+00:00", "ended_at": .null, "action": "apply", "author": "me",
        "database_role": "tidings", "reason": .null,
    ]

    @Test(arguments: readers) func aRowWithoutAColumnIsRefused(_ reader: Reader) throws {
        try reader.read(reader.row)
        for column in reader.columns {
            let row = reader.changed(column, to: nil)
            let error = #expect(throws: ReportError.self, "\(column)") { try reader.read(row) }
            #expect(error?.column == column)
        }
    }

    @Test(arguments: readers) func onlySomeColumnsMayBeNull(_ reader: Reader) throws {
        #expect(reader.nullable.isSubset(of: reader.columns))
        for column in reader.columns {
            let row = reader.changed(column, to: .null)
            if reader.nullable.contains(column) {
                try reader.read(row)
            } else {
                let error = #expect(throws: ReportError.self, "\(column)") { try reader.read(row) }
                #expect(error?.column == column)
            }
        }
    }

    @Test func aRefusedEventIsExplained() throws {
        let refused = try RefusedExplanation(Self.refusal)
        #expect(
            refused.text == """
                x for ada and 2 more, refused 2026-11-24T19:00:00+00:00: unknownType at /type, 2 times, discarded
                  the catalogue has no type x
                  what to do: Add the type.
                  not verified: the event is broken, or its publisher may not use these names
                  rejected 41   producer /shop e-1
                """)
        #expect(refused.hint == "the event was refused: unknownType at /type; tidings rejected show 41")
        #expect(refused.json == ["rejected": Self.refusal])
    }

    @Test func theTablesOfAStatusHaveReadableTimes() throws {
        let now = try #require(Timestamp(rfc3339: "2026-11-24T19:02:30Z"))
        let queue = try QueueLine(Self.queue)
        #expect(!queue.isIdle)
        #expect(
            queue.cells(now: now) == [
                "queue": "tidings.intents.bulk", "messages": 7, "consumers": 1, "deliveries": 90, "since": "19:01 UTC", "clears": "in 31 s",
            ])
        #expect(
            try WorkerLine(Self.worker).cells(now: now) == [
                "process": "deliver-host-1", "state": "running", "handled": 12, "started": "18:00 UTC", "heartbeat": "19:02 UTC",
            ])
    }

    @Test func anEndBeyondEveryYearIsNoForecast() throws {
        var members = try #require(Self.queue.objectValue)
        members["clears_at"] = "33658-09-27T01:46:40+00:00"
        let cells = try QueueLine(.object(members)).cells(now: Timestamp(seconds: 1_795_832_820))
        #expect(cells["messages"] == 7 && cells["clears"]?.isNull == true)
    }

    @Test func theDelayOfBulkWorkIsExplained() throws {
        #expect(
            try BulkYield(Self.bulkYield).sentence
                == "bulk work yields: each batch of deliver-host-1 waits 20 ms, because urgent work took 900 ms and should take at most 15; "
                + "7 bulk messages wait, done about 2026-11-24T19:04:00+00:00 at this pace")
    }

    @Test func aCatalogueTellsItsPlaceInTheHistory() throws {
        let kept = try KeptCatalogue(Self.catalogue)
        #expect(kept.description == "catalogue 0123456789abcdef, active since 2026-11-24T19:00:00+00:00 by me: more types")
    }
}
