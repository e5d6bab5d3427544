import Testing
import TidingsCore
import TidingsJSON
import TidingsStore
import TidingsTestSupport

@testable import TidingsCommands

/// Rows of reports that commands read. A row without a column must not look like a row that counted nothing.
@Suite struct ReportRowTests {
    /// A type that is read from a row.
    struct Reader: Sendable, CustomTestStringConvertible {
        let name: String
        /// A row with the columns that are read. The columns without a value here have made-up ones.
        let row: JSON
        /// The view whose comments say which columns may be null. Nil if the row is made of several views.
        var view: String?
        /// The columns that may be null and that have no comment in the view.
        var nullable: Set<String> = []
        let read: @Sendable (JSON) throws -> Void

        var testDescription: String { name }

        func made() throws -> MadeUpRow { try MadeUpRow(row.objectValue ?? JSONObject(), reading: read) }
    }

    static let readers: [Reader] = [
        Reader(name: "BulkYield", row: bulkYield, view: "bulk_yields") { _ = try BulkYield($0) },
        Reader(name: "QueueLine", row: queue, view: "queues") { _ = try QueueLine($0) },
        Reader(name: "WorkerLine", row: worker, view: "workers") { _ = try WorkerLine($0) },
        Reader(name: "EventRefusal", row: refusal, view: "rejected", nullable: ["what_to_do"]) { _ = try EventRefusal($0) },
        Reader(name: "RefusedExplanation", row: refusal, view: "rejected", nullable: ["what_to_do"]) { _ = try RefusedExplanation($0) },
        Reader(name: "ErasureProgress", row: erasure, view: "erasures") { _ = try ErasureProgress($0) },
        Reader(name: "KeptCatalogue", row: catalogue, nullable: ["activated_at", "author", "reason"]) { _ = try KeptCatalogue($0) },
        Reader(
            name: "History", row: activation,
            nullable: ["activated_at", "ended_at", "action", "author", "database_role", "reason"]
        ) { _ = try CatalogueCommand.History.shown($0) },
    ]

    private static let bulkYield = MadeUpRow.json([
        "worker_id": "deliver-host-1", "bulk_pause_ms": 20, "urgent_took_ms": 900, "bulk_ready": 7,
        "clears_at": "2026-11-24T19:04:00+00:00",
    ]) { _ = try BulkYield($0) }

    private static let queue = MadeUpRow.json([
        "queue": "tidings.intents.bulk", "ready": 7, "consumers": 1, "packs": 2, "deliveries": 90,
        "oldest_at": "2026-11-24T19:00:00+00:00", "waiting_since": "2026-11-24T19:01:00+00:00", "clears_at": "2026-11-24T19:03:01+00:00",
    ]) { _ = try QueueLine($0) }

    private static let worker = MadeUpRow.json([
        "worker_id": "deliver-host-1", "state": "running", "handled": 12, "started_at": "2026-11-24T18:00:00+00:00",
        "heartbeat_at": "2026-11-24T19:02:28+00:00",
    ]) { _ = try WorkerLine($0) }

    private static let refusal = MadeUpRow.json([
        "rejected_id": 41, "reason_code": "unknownType", "pointer": "/type", "message": "the catalogue has no type x",
        "source": "/shop", "event_id": "e-1", "type": "x", "recipient_id": "ada", "recipients": 3, "verified": false, "occurrences": 2,
        "state": "discarded", "last_at": "2026-11-24T19:00:00+00:00", "what_to_do": "Add the type.",
    ]) { _ = try EventRefusal($0) }

    private static let erasure: JSON = ["state": "running", "step": "devices", "waits_for": "calls"]

    private static let catalogue = MadeUpRow.json([
        "hash": "0123456789abcdef0123", "yaml": "types: {}", "active": true, "activated_at": "2026-11-24T19:00:00+00:00", "author": "me",
        "reason": "more types",
    ]) { _ = try KeptCatalogue($0) }

    private static let activation: JSON = [
        "hash": "0123456789abcdef0123", "activated_at": "2026-11-24T19:00:00+00:00", "ended_at": .null, "action": "apply", "author": "me",
        "database_role": "tidings", "reason": .null,
    ]

    @Test(arguments: readers) func aRowWithoutAColumnIsRefused(_ reader: Reader) throws {
        let row = try reader.made()
        try reader.read(row.json)
        for column in row.members.keys {
            var members = row.members
            members[column] = nil
            let error = #expect(throws: ReportError.self, "\(column)") { try reader.read(.object(members)) }
            #expect(error?.column == column)
        }
    }

    /// The comment of each column of a view says when the column is null, if it may be.
    @Test(arguments: readers) func onlySomeColumnsMayBeNull(_ reader: Reader) throws {
        let (row, comments) = (try reader.made(), try ViewComments())
        #expect(reader.nullable.isSubset(of: row.members.keys))
        for column in row.members.keys {
            let named = reader.view.flatMap { comments.namesNull(column, of: $0) }
            #expect(row.nullable.contains(column) == (named ?? reader.nullable.contains(column)), "\(column)")
            var members = row.members
            members[column] = .null
            if row.nullable.contains(column) {
                try reader.read(.object(members))
            } else {
                let error = #expect(throws: ReportError.self, "\(column)") { try reader.read(.object(members)) }
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
        let ofQueue: JSON = [
            "queue": "tidings.intents.bulk", "messages": 7, "consumers": 1, "deliveries": 90, "since": "19:01 UTC", "clears": "in 31 s",
        ]
        let ofWorker: JSON = [
            "process": "deliver-host-1", "state": "running", "handled": 12, "started": "18:00 UTC", "heartbeat": "19:02 UTC",
        ]
        for (cells, expected) in [(queue.cells(now: now), ofQueue), (try WorkerLine(Self.worker).cells(now: now), ofWorker)] {
            let columns = try #require(expected.objectValue)
            for entry in columns.entries { #expect(cells[entry.key] == entry.value, "\(entry.key)") }
            // A further column stands anywhere.
            #expect(cells.objectValue?.keys.filter { columns[$0] != nil } == columns.keys)
        }
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
