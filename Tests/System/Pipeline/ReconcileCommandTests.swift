import Testing
import TidingsJSON
import TidingsPostgres
import TidingsTestSupport

/// After a failover, a producer's own list of ids says which events must be published again.
@Suite struct ReconcileCommandTests {
    /// Standard output has the ids and nothing else, so that a script can publish them.
    @Test func lostEventsAreNamedAndThenEverythingIsThere() async throws {
        try await withPipeline { pipeline in
            for id in ["a-1", "b 2,\"x\""] { await pipeline.publish(event(id: id.replacing("\"", with: "\\\""), to: "reader")) }
            await pipeline.publish(event(id: "typo", type: "noSuchType", to: "reader"))
            for id in ["a-1", "b 2,\"x\""] { _ = try await pipeline.outcome(of: id) }
            #expect(try await pipeline.system.eventually("select count(*) from tidings_ops.rejected") { $0 == 1 })

            let ids = ["a-1", "lost-1", "b 2,\"x\"", "typo", " lost 2 "]
            try await withFile(ids.joined(separator: "\n")) { path in
                let result = try await Self.reconcile([path], in: pipeline.system)
                #expect(result.exitCode == 1 && result.output == "lost-1\n lost 2 \n", "\(result.output)\(result.errors)")
                #expect(result.errors.contains("5 ids of /tests since "), "\(result.errors)")
                #expect(result.errors.contains("2 accepted, 0 enqueued, 1 rejected, 2 missing"), "\(result.errors)")
                #expect(result.errors.contains("rejected: unknownType 1") && result.errors.contains("2 events are to be published again"))

                let json = try await Self.reconcile([path, "-o", "json"], in: pipeline.system)
                let rows = try JSON.parse(json.output).arrayValue ?? []
                #expect(rows.map { $0["event_id"]?.stringValue } == ["lost-1", " lost 2 "] && json.exitCode == 1)
                #expect(rows.allSatisfy { $0["state"] == "missing" && $0["notifications"]?.intValue == 0 })

                for id in ["lost-1", " lost 2 "] { await pipeline.publish(event(id: id, to: "reader")) }
                for id in ["lost-1", " lost 2 "] { _ = try await pipeline.outcome(of: id) }
                let again = try await Self.reconcile([path], in: pipeline.system)
                #expect(again.exitCode == 0 && again.output.isEmpty, "\(again.output)\(again.errors)")
                #expect(try await Self.reconcile([path, "-o", "json"], in: pipeline.system).output == "[]\n")
            }
            try await pipeline.expectSound()
        }
    }

    /// A failover may lose some portions of a large event. The event itself names its people, so the missing ones are noticed.
    @Test func anEventThatLacksPeopleIsPublishedAgain() async throws {
        try await withPipeline { pipeline in
            let pair = event(id: "pair", to: "x").replacing(#""recipient":"x""#, with: #""recipients":["x","y"]"#)
            await pipeline.publish(pair)
            let query: SQL = "select count(*) from tidings_ops.notifications where event_id = 'pair' and state = 'done'"
            #expect(try await pipeline.system.eventually(query) { $0 == 2 })
            try await withFile(pair + "\n") { path in
                let whole = try await Self.reconcile([path, "--input", "jsonl"], in: pipeline.system)
                #expect(whole.exitCode == 0, "\(whole.errors)")
                _ = try await pipeline.system.query("delete from tidings.notifications where recipient_id = 'y'")
                let part = try await Self.reconcile([path, "--input", "jsonl", "-o", "jsonl"], in: pipeline.system)
                #expect(part.exitCode == 1, "\(part.errors)")
                let row = try JSON.parse(part.output)
                #expect(row["event_id"] == "pair" && row["state"] == "incomplete" && row["notifications"]?.intValue == 1, "\(row)")
                #expect(part.errors.contains("1 accepted event has fewer notifications than recipients"), "\(part.errors)")
            }
        }
    }

    /// A person on call needs no right beyond `tidings_ops_read`. The ids come from a pipe.
    @Test func aReaderComparesIDsFromAPipe() async throws {
        try await withOwnSystem { system in
            let environment = system.environment.merging(["PGOPTIONS": "-c role=tidings_ops_read"]) { $1 }
            let many = 25_000
            let script =
                "seq 1 \(many) | sed s/^/lost-/ | '\(TestSystem.binary)' reconcile --source /shop --since 1m --tenant default"
            let result = try await TestProcess(["/bin/bash", "-c", script], environment: environment).finish()
            #expect(result.exitCode == 1, "\(result.errors)")
            let lines = result.output.split(separator: "\n")
            #expect(lines.count == many && lines.first == "lost-1" && lines.last == "lost-\(many)")
            #expect(result.errors.contains("25,000 missing"), "\(result.errors)")
        }
    }

    /// The producer's file is wrong: the answer about the other ids is complete, and the exit code tells.
    @Test func aWrongFileIsNotTakenForAGoodOne() async throws {
        try await withOwnSystem { system in
            try await withFile("lost\n" + String(repeating: "x", count: 300) + "\n") { path in
                let result = try await Self.reconcile([path], in: system)
                #expect(result.exitCode == 65 && result.output == "lost\n", "\(result.output)\(result.errors)")
                #expect(result.errors.contains("record 2 has an id of 300 bytes"), "\(result.errors)")
            }
            try await withFile(#""a\nb""#) { path in
                let text = try await Self.reconcile([path, "--input", "jsonl"], in: system)
                #expect(text.exitCode == 65 && text.output.isEmpty && text.errors.contains("line break"), "\(text.errors)")
                let lines = try await Self.reconcile([path, "--input", "jsonl", "-o", "jsonl"], in: system)
                let row = try JSON.parse(lines.output)
                #expect(lines.exitCode == 1 && row["event_id"] == "a\nb", "\(lines.errors)")
            }
            try await withFile("event_id,at\n\"lost\",1\n\"open,2\n") { path in
                let broken = try await Self.reconcile([path, "--input", "csv"], in: system)
                #expect(broken.exitCode == 65 && broken.errors.contains("record 3: a quote is never closed"), "\(broken.errors)")
            }
        }
    }

    /// A missing event may only be late.
    @Test func messagesThatWaitAreTold() async throws {
        try await withOwnSystem { system in
            _ = try await system.query(
                """
                insert into tidings.queue_samples (queue, ready, consumers, sampled_at)
                values ('tidings.intents.bulk', 1200, 1, tidings.clock()), ('tidings.rejected', 5, 1, tidings.clock())
                """)
            try await withFile("lost\n") { path in
                let result = try await Self.reconcile([path], in: system)
                #expect(result.errors.contains("1,200 messages wait in the intake queues"), "\(result.errors)")
            }
        }
    }

    private static func reconcile(_ more: [String], in system: TestSystem) async throws -> TestProcess.Result {
        try await CommandLineTests.run(["reconcile", "--source", "/tests", "--since", "10m"] + more, system.environment)
    }
}
