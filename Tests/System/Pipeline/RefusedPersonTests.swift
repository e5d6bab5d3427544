import Testing
import TidingsJSON
import TidingsPostgres
import TidingsTestSupport

/// A person whose events are refused is found by the person's own id.
@Suite struct RefusedPersonTests {
    private static let refused: SQL = "select count(*) from tidings_ops.rejected"

    @Test func refusedEventsOfAPersonAreFoundAndExplained() async throws {
        try await withPipeline { pipeline in
            let (system, many) = (pipeline.system, 20)
            await pipeline.publish(event(id: "accepted", to: "paula"))
            for number in 1...many { await pipeline.publish(event(id: "p-\(number)", type: "noSuchType", to: "paula")) }
            _ = try await pipeline.outcome(of: "accepted")
            #expect(try await system.eventually(Self.refused) { $0 == many }, "\(pipeline.roles.errorsSoFar)")

            let found = (try await pipeline.json("find", "paula").arrayValue ?? []).filter { $0["kind"] == "rejected" }
            #expect(found.allSatisfy { $0["matched_on"] == "recipient_id" })
            let newest = try await system.query(
                "select r.rejected_id::text from tidings_ops.rejected r order by r.rejected_id desc limit 10")
            #expect(try found.compactMap { $0["id"]?.stringValue } == newest.rows.map { try $0.decode(String.self) })

            let why = try await system.tidings("why", "paula")
            #expect(why.exitCode == 0, "\(why.errors)")
            #expect(why.output.contains("for paula, accepted") && why.output.contains("noSuchType for paula, refused"), "\(why.output)")
            #expect(why.output.contains("unknownType at /type") && why.output.contains("tidings catalogue apply"), "\(why.output)")
            let all = try await pipeline.json("why", "paula").arrayValue ?? []
            #expect(all.count { $0["notification"] != nil } == 1 && all.count { $0["rejected"] != nil } == 10, "\(all)")
            let listed = try await pipeline.json("rejected", "list").arrayValue ?? []
            #expect(listed.allSatisfy { $0["recipient_id"] == "paula" })
        }
    }

    /// The answer has the reason and the number of the row.
    @Test func aRefusedEventIsExplained() async throws {
        try await withPipeline { pipeline in
            let system = pipeline.system
            await pipeline.publish(event(id: "p-2", type: "noSuchType", to: "paula"))
            #expect(try await system.eventually(Self.refused) { $0 == 1 }, "\(pipeline.roles.errorsSoFar)")
            let number = String(try await system.count("select rejected_id from tidings_ops.rejected"))
            for command in [["why"], ["notification", "show"], ["notification", "cancel"]] {
                let told = try await CommandLineTests.run(command + ["p-2"], system.environment)
                #expect(told.exitCode == 1 && told.errors.contains("unknownType at /type"), "\(command): \(told.errors)")
                #expect(told.errors.contains("tidings rejected show \(number)"), "\(command): \(told.errors)")
            }
            let text = try await system.tidings("why", "p-2").output
            #expect(text.contains("noSuchType for paula, refused") && text.contains("rejected \(number)   producer /tests p-2"), "\(text)")
            let json = try await system.tidings("why", "p-2", "-o", "json")
            let rows = try JSON.parse(json.output).arrayValue ?? []
            #expect(json.exitCode == 1 && rows.map { $0["rejected"]?["reason_code"]?.stringValue } == ["unknownType"], "\(json.output)")
        }
    }

    /// An event may name several people, in a tenant of theirs, and may be broken behind their names.
    @Test func everyPersonOfARefusedEventIsFound() async throws {
        try await withPipeline { pipeline in
            let system = pipeline.system
            let several = event(id: "several", type: "noSuchType", to: "x", data: #""tenant":"acme""#)
                .replacing(#""recipient":"x""#, with: #""recipients":["ann","bob"]"#)
            await pipeline.publish(several)
            await pipeline.publish(#"{"id":"broken","source":"/tests","data":{"recipient":"eve","title":"#)
            await pipeline.publish(event(id: "twice", to: "x").replacing(#""recipient":"x""#, with: #""recipients":["one","two"]"#))
            _ = try await pipeline.outcome(of: "twice")
            await pipeline.publish(
                event(id: "twice", to: "x", title: "Other").replacing(#""recipient":"x""#, with: #""recipients":["one","two"]"#))
            #expect(try await system.eventually(Self.refused) { $0 == 3 }, "\(pipeline.roles.errorsSoFar)")

            for (person, id) in [
                ("ann", "several"), ("bob", "several"), ("acme/ann", "several"), ("acme/bob", "several"), ("eve", "broken"),
                ("default/eve", "broken"), ("one", "twice"), ("two", "twice"),
            ] {
                let rows = try await system.query(
                    """
                    select r.event_id from tidings_ops.find(\(person)) f join tidings_ops.rejected r on r.rejected_id::text = f.id
                    where f.kind = 'rejected' and f.matched_on = 'recipient_id'
                    """
                ).rows.map { try $0.decode(String.self) }
                #expect(rows == [id], "\(person)")
            }
            for stranger in ["default/bob", "acme/eve", "x"] {
                #expect(try await system.tidings("find", stranger).exitCode == 1, "\(stranger)")
            }
            let bob = try await system.tidings("why", "bob")
            #expect(bob.exitCode == 1 && bob.output.contains("for ann and 1 more, refused"), "\(bob.output)\(bob.errors)")
            let eve = try await system.tidings("why", "eve").output
            #expect(eve.contains("an event for eve, refused") && eve.contains("not verified"), "\(eve)")
            try await pipeline.expectSound()
        }
    }
}
