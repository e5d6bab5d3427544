import Glibc
import Testing
import TidingsContracts
import TidingsJSON
import TidingsPostgres
import TidingsTestSupport

/// An operator can replay a refused intent once its cause is gone, or close it.
@Suite struct RejectedTests {
    @Test func replayDeliversOnceTheTypeIsThere() async throws {
        try await withPipeline { pipeline in
            await pipeline.publish(event(id: "early", type: "parcelUpdate", to: "reader"), key: "transactional.parcelUpdate")
            let id = try await Self.rejected("early", as: "unknownType", in: pipeline)

            try await Self.addType("parcelUpdate", to: pipeline)
            let replay = try await pipeline.system.tidings("rejected", "replay", id)
            #expect(replay.exitCode == 0, "\(replay.errors)")
            #expect(try await pipeline.outcome(of: "early").contains(Ended("inApp", "delivered", "delivered")))
            #expect(try await pipeline.json("rejected", "show", id)["state"]?.stringValue == "replayed")
            try await pipeline.expectSound()
        }
    }

    /// Replaying an event that is still wrong opens its row again and counts it. No second row is made.
    @Test func replayOfWhatIsStillWrongIsRefusedAgain() async throws {
        try await withPipeline { pipeline in
            await pipeline.publish(event(id: "wrong", type: "noSuchType", to: "reader"))
            let id = try await Self.rejected("wrong", as: "unknownType", in: pipeline)
            // The exit code is 1 if the router refuses the event before the command closes the row.
            let replay = try await pipeline.system.tidings("rejected", "replay", id)
            #expect([0, 1].contains(replay.exitCode), "\(replay.errors)")
            let again = try await pipeline.system.eventually(
                "select count(*) from tidings_ops.rejected where event_id = 'wrong' and occurrences = 2"
            ) { $0 == 1 }
            #expect(again)
            #expect(try await pipeline.system.count("select count(*) from tidings_ops.rejected") == 1)
            try await pipeline.expectSound()
        }
    }

    /// Rows that a router refused again before they could be closed are not among those that were published again. A trigger acts as
    /// the router: it keeps the row open.
    @Test func aRowThatIsRefusedAgainIsNotDone() async throws {
        try await withOwnSystem { system in
            #expect(try await system.tidings("queue", "topology", "--apply").exitCode == 0)
            var ids: [String] = []
            for name in ["right", "wrong"] {
                let id = try await system.count(
                    """
                    insert into tidings.rejected (fingerprint, at, last_at, reason, pointer, message, event_id, exchange, routing_key, headers,
                        raw, size, sha256, replayable)
                    values (gen_random_uuid(), tidings.clock(), tidings.clock(), 'unknownType', '/type', '', \(name),
                        \(QueueNames.intentsExchange), 'transactional.parcelUpdate', '{}', '', 0, '', true)
                    returning id
                    """)
                ids.append(String(id))
            }
            _ = try await system.query(
                "create function keep_open() returns trigger language plpgsql as $$ begin return null; end $$")
            _ = try await system.query(
                """
                create trigger keep_open before update on tidings.rejected for each row
                when (new.state = 'replayed' and new.event_id = 'wrong') execute function keep_open()
                """)

            let both = try await CommandLineTests.run(["rejected", "replay", "-o", "json"] + ids, system.environment)
            let counts = try JSON.parse(both.output)
            #expect(counts["done"]?.intValue == 1 && counts["refused_again"]?.intValue == 1, "\(counts)")
            #expect(both.exitCode == 1 && both.errors.contains("1 of 2 rows were refused again"), "\(both.errors)")
            let one = try await system.tidings("rejected", "replay", ids[1])
            #expect(one.exitCode == 1 && one.errors.contains("\(ids[1]) stays open: it was refused again"), "\(one.errors)")
            #expect(!one.errors.contains("published again"), "\(one.errors)")
            let filtered = try await system.tidings("rejected", "replay", "--reason", "unknownType", "--yes")
            #expect(filtered.exitCode == 1 && filtered.errors.contains("0 rows were published again"), "\(filtered.errors)")
            #expect(filtered.errors.contains("1 row stays open"), "\(filtered.errors)")
        }
    }

    /// The router follows the catalogue when the command returns, so that the replay is not refused again.
    @Test func aReplayRightAfterAnAwaitedCatalogueIsAccepted() async throws {
        try await withPipeline { pipeline in
            await pipeline.publish(event(id: "early", type: "lateType", to: "reader"))
            let id = try await Self.rejected("early", as: "unknownType", in: pipeline)
            let types = "types:\n  lateType: {category: transactional, channels: [inApp]}\n"
            try await Pipeline.apply(types, to: pipeline.system, "--remove", "--wait")
            #expect(try await pipeline.system.tidings("rejected", "replay", id).exitCode == 0)
            #expect(try await pipeline.outcome(of: "early").contains(Ended("inApp", "delivered", "delivered")))
            #expect(try await pipeline.system.count("select max(occurrences)::bigint from tidings_ops.rejected") == 1)
            try await pipeline.expectSound()
        }
    }

    /// After an incident, an operator looks at the rows, replays those that can pass, and closes the rest.
    @Test func rowsAreReplayedAndClosedByFilters() async throws {
        let many = 25
        try await withPipeline { pipeline in
            for number in 0..<many {
                await pipeline.publish(event(id: "bulk-\(number)", type: "parcelUpdate", to: "reader"), key: "transactional.parcelUpdate")
            }
            await pipeline.publish(event(id: "other", type: "another", to: "reader"))
            await pipeline.publish(event(id: "nobody", to: ""))
            let all = try await pipeline.system.eventually("select count(*) from tidings_ops.rejected where state = 'open'") {
                $0 == many + 2
            }
            try #require(all)
            let type = ["--type", "parcelUpdate"]
            func run(_ arguments: [String]) async throws -> TestProcess.Result {
                try await CommandLineTests.run(["rejected"] + arguments, pipeline.system.environment)
            }
            func open() async throws -> Int {
                try await pipeline.system.count("select count(*) from tidings_ops.rejected where state = 'open'")
            }

            // Looking, a wrong filter and a missing confirmation change nothing.
            let look = try await run(["replay", "--since", "1h", "--dry-run", "-o", "json"])
            let counts = try JSON.parse(look.output)
            #expect(look.exitCode == 1, "one of them cannot be replayed: \(look.errors)")
            #expect(counts["would_do"]?.intValue == many + 1 && counts["would_not"]?.intValue == 1, "\(counts)")
            let groups = counts["groups"]?.arrayValue ?? []
            #expect(groups.first?["type"]?.stringValue == "parcelUpdate" && groups.first?["rows"]?.intValue == many, "\(counts)")
            #expect(groups.contains { $0["reason_code"] == "emptyRecipient" && $0["why_not"] == "refusedAgain" }, "\(counts)")
            #expect(try await run(["replay", "--since", "2099-01-01T00:00:00Z", "--yes"]).errors.contains("0 rows were"))
            for (arguments, code, said) in [
                (["replay", "--reason", "unknwonType"], 65, "did you mean unknownType?"),
                (["list", "--reason", "poison"], 65, "it is one of"),
                (["replay", "--since", "yesterday", "--yes"], 65, "neither a time nor a duration"), (["discard", "x"], 65, "no number"),
                (["replay"], 64, "at least one filter"), (["discard"], 64, "at least one filter"),
                (["replay", "--rate", "0", "--reason", "notJSON"], 64, "--rate is from 1"), (["replay"] + type, 64, "need --yes"),
            ] {
                let result = try await run(arguments)
                #expect(Int(result.exitCode) == code && result.errors.contains(said), "\(arguments): \(result.exitCode) \(result.errors)")
            }
            #expect(try await open() == many + 2)

            // The events are refused again: every row is open, and no row is duplicated.
            let again = try await run(["replay", "--reason", "unknownType", "--limit", "3", "--yes"] + type)
            #expect([0, 1].contains(again.exitCode) && again.errors.contains("published again"), "\(again.errors)")
            let counted = try await pipeline.system.eventually(
                "select count(*) from tidings_ops.rejected where occurrences = 2 and state = 'open'"
            ) { $0 == 3 }
            #expect(counted)

            // The replay is interrupted between two messages. Rows that were not published are open, and so are those that were refused
            // again.
            let times: SQL = "select sum(occurrences)::bigint from tidings_ops.rejected"
            let before = try await pipeline.system.count(times)
            let slow = try pipeline.system.start("rejected", "replay", "--type", "parcelUpdate", "--rate", "2", "--yes")
            #expect(try await pipeline.system.eventually(times) { $0 > before }, "\(slow.errorsSoFar)")
            slow.signal(SIGINT)
            let interrupted = await slow.finish()
            #expect(interrupted.exitCode == 1 && interrupted.errors.contains("interrupted"), "\(interrupted.errors)")
            #expect(interrupted.errors.contains("published again"), "it says how many are done: \(interrupted.errors)")
            let isWhole = try await pipeline.system.eventually("select count(*) from tidings_ops.rejected where state = 'open'") {
                $0 == many + 2
            }
            #expect(isWhole)
            #expect(try await pipeline.system.count(times) < before + many)

            try await Self.addType("parcelUpdate", to: pipeline)
            let replay = try await run(["replay", "--rate", "1000", "--yes", "-o", "json"] + type)
            #expect(replay.exitCode == 0, "\(replay.errors)")
            #expect(try JSON.parse(replay.output)["done"]?.intValue == many, "\(replay.output)")
            for number in 0..<many {
                #expect(try await pipeline.outcome(of: "bulk-\(number)").contains(Ended("inApp", "delivered", "delivered")))
            }
            #expect(try await pipeline.system.count("select count(*) from tidings_ops.rejected where state = 'replayed'") == many)

            let rest = try await pipeline.system.query("select rejected_id from tidings_ops.rejected where state = 'open'").rows
            let numbers = try rest.map { String(try $0.decode(Int64.self)) }
            let mixed = try await run(["replay"] + numbers + ["999999"])
            #expect(mixed.exitCode == 1 && mixed.errors.contains("emptyRecipient holds for the same event"), "\(mixed.errors)")
            #expect(mixed.errors.contains("1 of the numbers belong to no row"), "\(mixed.errors)")
            let cameBack = try await pipeline.system.eventually(
                "select count(*) from tidings_ops.rejected where event_id = 'other' and occurrences = 2 and state = 'open'"
            ) { $0 == 1 }
            #expect(cameBack)
            #expect(try await run(["discard", "--since", "1h", "--yes"]).exitCode == 0)
            #expect(try await open() == 0)
            try await pipeline.expectSound()
        }
    }

    /// The message was redelivered so often that the broker set it aside. Its deliveries cannot be told.
    @Test func aSuspectThatIsNoPackIsKept() async throws {
        try await withPipeline { pipeline in
            await pipeline.publish(
                Array("{\"no\":\"pack\"}".utf8), contentType: Pack.contentType, key: "tidings.deliver.push.phone.bulk",
                exchange: QueueNames.suspectExchange)
            let kept = try await pipeline.system.eventually(
                "select count(*) from tidings_ops.dead_letters where reason_code = 'undecodablePack' and state = 'open'"
            ) { $0 == 1 }
            #expect(kept, "\(pipeline.roles.errorsSoFar)")
            let id = String(try await pipeline.system.count("select dead_id from tidings_ops.dead_letters"))
            let shown = try await pipeline.json("dead", "show", id)
            #expect(shown["raw"]?.stringValue == #"{"no":"pack"}"# && shown["message"]?.stringValue?.isEmpty == false, "\(shown)")

            let look = try await pipeline.system.tidings("dead", "replay", "--reason", "undecodablePack", "--dry-run")
            #expect(look.exitCode == 0 && look.output.contains("tidings.deliver.push.phone.bulk"), "\(look.output)\(look.errors)")
            let other = try await pipeline.system.tidings("dead", "discard", "--queue", "tidings.intents.bulk", "--yes")
            #expect(other.exitCode == 0 && other.errors.contains("0 rows"), "\(other.errors)")
            let discard = try await pipeline.system.tidings("dead", "discard", "--reason", "undecodablePack", "--yes")
            #expect(discard.exitCode == 0 && discard.errors.contains("1 row was closed"), "\(discard.errors)")
        }
    }

    @Test func discardClosesTheRowAndKeepsIt() async throws {
        try await withPipeline { pipeline in
            await pipeline.publish("hello", key: "transactional.hello")
            let found = try await pipeline.system.eventually("select count(*) from tidings_ops.rejected where reason_code = 'notJSON'") {
                $0 == 1
            }
            #expect(found)
            let row = try #require(try await pipeline.json("rejected", "list").arrayValue?.first?["rejected_id"]?.intValue)
            #expect(try await pipeline.system.tidings("rejected", "discard", "\(row)").exitCode == 0)
            #expect(try await pipeline.json("rejected", "show", "\(row)")["state"]?.stringValue == "discarded")
            #expect(try await pipeline.system.tidings("rejected", "discard", "\(row)").exitCode == 1, "it is closed already")
            #expect(try await pipeline.json("rejected", "list", "--state", "open") == [])
        }
    }

    @Test func anIntentThatWasNotKeptWholeCannotBeReplayed() async throws {
        try await withPipeline { pipeline in
            await pipeline.publish(event(id: "big", to: "reader", title: String(repeating: "x", count: 256 << 10)))
            let found = try await pipeline.system.eventually("select count(*) from tidings_ops.rejected where reason_code = 'tooLarge'") {
                $0 == 1
            }
            #expect(found)
            let row = try #require(try await pipeline.json("rejected", "list").arrayValue?.first?["rejected_id"]?.intValue)
            let replay = try await pipeline.system.tidings("rejected", "replay", "\(row)")
            #expect(replay.exitCode == 1 && replay.errors.contains("cannot be replayed"), "\(replay.errors)")
        }
    }

    /// Returns the number of an event's row, once the row exists.
    private static func rejected(_ eventID: String, as reason: String, in pipeline: Pipeline) async throws -> String {
        let found = try await pipeline.system.eventually(
            "select count(*) from tidings_ops.rejected where event_id = \(eventID) and reason_code = \(reason)"
        ) { $0 == 1 }
        try #require(found)
        return String(try await pipeline.system.count("select rejected_id from tidings_ops.rejected where event_id = \(eventID)"))
    }

    /// Adds a type to the active catalogue as the README says, and waits until the running roles follow.
    private static func addType(_ name: String, to pipeline: Pipeline) async throws {
        let shown = try await pipeline.system.tidings("catalogue", "show")
        #expect(shown.exitCode == 0)
        let more = shown.output.replacing("\ntypes:\n", with: "\ntypes:\n  \(name):\n    category: transactional\n")
        try await Pipeline.apply(more, to: pipeline.system)
        #expect(try await pipeline.roles.says("another catalogue is active"))
    }
}
