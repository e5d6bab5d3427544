import Foundation
import Testing
import TidingsJSON
import TidingsPostgres
import TidingsTestSupport

/// Commands answer about one event: about the present attempt only, and with the cause.
@Suite struct AnswersTests {
    /// One id is used four times: rejected, accepted, the same again, and with different content.
    @Test func sendWaitAnswersForThisTryOnly() async throws {
        try await withPipeline { pipeline in
            func send(_ type: String, title: String) async throws -> TestProcess.Result {
                try await pipeline.system.tidings(
                    "send", type, "--to", "reader", "--title", title, "--id", "fix-1", "--no-check", "--wait", Pipeline.waitLimit)
            }
            let wrong = try await send("orderUpdatee", title: "T")
            #expect(wrong.exitCode == 1 && wrong.errors.contains("unknownType"), "\(wrong.errors)")
            for _ in 1...2 {
                let right = try await send("orderUpdate", title: "T")
                #expect(right.exitCode == 0 && right.output.contains("delivered"), "\(right.output)\(right.errors)")
            }
            let other = try await send("orderUpdate", title: "Another")
            #expect(other.exitCode == 1 && other.errors.contains("idempotencyConflict"), "\(other.output)\(other.errors)")
            #expect(other.output.isEmpty, "what was delivered before is no answer: \(other.output)")
            #expect(try await send("orderUpdate", title: "T").exitCode == 0, "the conflict is over")
            #expect(try await pipeline.system.count("select count(*) from tidings_ops.notifications") == 1)
        }
    }

    /// For a program, a rejected event and a missing delivery are an empty array and exit code 1.
    @Test func nothingIsAnEmptyArray() async throws {
        try await withPipeline { pipeline in
            let rejected = try await pipeline.system.tidings(
                "send", "nosuch", "--to", "reader", "--title", "T", "--id", "refused", "--no-check", "--wait", Pipeline.waitLimit, "-o",
                "json")
            #expect(rejected.exitCode == 1 && rejected.output == "[]\n" && rejected.errors.contains("unknownType"), "\(rejected)")
            #expect(
                try await pipeline.system.tidings(
                    "send", "orderUpdate", "--to", "reader", "--title", "T", "--id", "sent", "--wait", Pipeline.waitLimit
                )
                .exitCode == 0)
            let id = try await pipeline.notificationID(of: "sent")
            #expect(try await pipeline.system.tidings("why", "\(id)/1", "-o", "json").exitCode == 0)
            let missing = try await pipeline.system.tidings("why", "\(id)/9", "-o", "json")
            #expect(missing.exitCode == 1 && missing.output == "[]\n" && missing.errors.contains("no delivery \(id)/9"), "\(missing)")
        }
    }

    @Test func severalNotificationsOfAnEventAreOneArray() async throws {
        try await withPipeline { pipeline in
            let environment = pipeline.system.environment
            let pair = ["send", "orderUpdate", "--to", "one", "--to", "two", "--title", "T", "--id", "pair", "--wait", Pipeline.waitLimit]
            for arguments in [pair, ["why", "pair"], ["notification", "show", "pair"]] {
                let json = try await CommandLineTests.run(arguments + ["-o", "json"], environment)
                #expect(json.exitCode == 0, "\(arguments): \(json.errors)")
                #expect(try JSON.parse(json.output).arrayValue?.count == 2, "\(arguments): \(json.output)")
                let lines = try await CommandLineTests.run(arguments + ["-o", "jsonl"], environment).output.split(separator: "\n")
                let objects = try lines.compactMap { try JSON.parse(String($0)).objectValue }
                #expect(objects.count == 2, "\(arguments): \(lines)")
                let text = try await CommandLineTests.run(arguments, environment).output
                #expect(text.contains("for one") && text.contains("for two"), "\(text)")
            }
        }
    }

    @Test func theCommandWhyShowsTheErrorOfAnAttempt() async throws {
        try await withPipeline { pipeline in
            #expect(try await pipeline.system.tidings("recipient", "set", "shop", "--webhook", "https://example.com/").exitCode == 0)
            let sent = try await pipeline.system.tidings(
                "send", "orderUpdate", "--to", "shop", "--title", "T", "--channel", "webhook", "--id", "unsigned")
            #expect(sent.exitCode == 0, "\(sent.errors)")
            let tried = try await pipeline.system.eventually("select count(*) from tidings_ops.attempts where error_text <> ''") { $0 > 0 }
            #expect(tried)
            let text = try await pipeline.system.tidings("why", "unsigned").output
            #expect(text.contains("no signing secret"), "\(text)")
            let json = try #require(try await pipeline.json("why", "unsigned").arrayValue?.first)
            #expect(json["attempts"]?.arrayValue?.first?["error_text"]?.stringValue?.contains("no signing secret") == true, "\(json)")
        }
    }

    /// Two devices of a person make two deliveries, which differ in nothing but the device and the id.
    @Test func eachDeviceIsNamed() async throws {
        try await withPipeline(catalogue: TestCatalogue.standard) { pipeline in
            var devices: [String] = []
            for token in ["01e70c3a", "02e70c3a"] {
                let registered = try await pipeline.system.tidings("device", "register", "ann", token, "-o", "json")
                devices.append(try #require(try JSON.parse(registered.output)["device_id"]?.stringValue))
            }
            await pipeline.publish(event(id: "two", to: "ann"))
            let ends = try await pipeline.outcome(of: "two")
            #expect(ends.count { $0 == Ended("push", "suppressed", "noProvider") } == 2, "\(ends)")
            let id = try await pipeline.notificationID(of: "two")
            let text = try await pipeline.system.tidings("why", "two").output
            let rows = try await pipeline.json("why", "two").arrayValue?.first
            for device in devices {
                let delivery = rows?["deliveries"]?.arrayValue?.first { $0["endpoint"]?.stringValue == device }
                let ordinal = try #require(delivery?["ordinal"]?.intValue)
                #expect(text.contains("  delivery \(id)/\(ordinal), device \(device), ended "), "\(text)")
                let shown = try await pipeline.system.tidings("delivery", "show", "\(id)/\(ordinal)")
                #expect(shown.exitCode == 0 && shown.output.contains(device), "\(shown.output)")
                let steps = rows?["timeline"]?.arrayValue?.filter { $0["ordinal"]?.intValue == ordinal }.compactMap {
                    $0["verdict"]?.stringValue
                }
                #expect(steps?.sorted() == ["decided", "suppressed"], "\(steps ?? [])")
            }
            let plan = try await pipeline.json("simulate", "orderUpdate", "--to", "ann").arrayValue ?? []
            #expect(Set(plan.compactMap { $0["endpoint"]?.stringValue }) == Set(devices), "\(plan)")
        }
    }

    /// The grants belong to this test's own database.
    @Test func contentIsShownOnRequestToWhoMayReadIt() async throws {
        try await withPipeline { pipeline in
            let system = pipeline.system
            let title = String(repeating: "long ", count: 50)
            await pipeline.publish(event(id: "private", to: "reader", title: title))
            _ = try await pipeline.outcome(of: "private")
            for command in [["why", "private"], ["notification", "show", "private"]] {
                let silent = try await CommandLineTests.run(command + ["-o", "json"], system.environment)
                #expect(silent.exitCode == 0 && !silent.output.contains("long long"), "\(silent.output)")
                let told = try await CommandLineTests.run(command + ["--content", "-o", "json"], system.environment)
                #expect(try JSON.parse(told.output).arrayValue?.first?["content"]?["title"]?.stringValue == title, "\(told.output)")
                let text = try await CommandLineTests.run(command + ["--content"], system.environment).output
                #expect(text.contains("title: long long") && text.contains("…") && !text.contains(title), "\(text)")
            }

            _ = try await system.query("revoke select on tidings.notifications from tidings_run")
            let reader = system.environment.merging(["PGOPTIONS": "-c role=tidings_run"]) { $1 }
            let refused = try await CommandLineTests.run(["why", "private", "--content"], reader)
            #expect(refused.exitCode == 77 && refused.output.isEmpty, "\(refused.output)")
            #expect(refused.errors.contains("personal data") && refused.errors.contains("grant select"), "\(refused.errors)")
            #expect(try await CommandLineTests.run(["why", "private"], reader).exitCode == 0)
        }
    }

    @Test func aWebhookWithoutASecretIsNoted() async throws {
        try await withOwnSystem { system in
            func set(_ arguments: String...) async throws -> String {
                let all = ["recipient", "set", "shop", "--webhook"] + arguments
                let result = try await CommandLineTests.run(all, system.environment)
                #expect(result.exitCode == 0 && result.output.isEmpty, "\(result.errors)")
                return result.errors
            }
            let stored = "stored for shop: webhook\n"
            #expect(try await set("https://example.com/a").contains("note: no --webhook-secret"))
            try await withFile("whsec_" + Data(repeating: 7, count: 32).base64EncodedString()) { path in
                let said = try await set("https://example.com/b", "--webhook-secret", "file:\(path)")
                #expect(said == stored, "\(said)")
            }
            #expect(try await set("https://example.com/c") == stored, "the stored secret stays")
            #expect(try await set("none") == stored)
            #expect(try await set("https://example.com:8443/d").contains("note: no --webhook-secret"), "the secret went with the webhook")
        }
    }

    /// The providers of the catalogue decide, and one that would call the URL is enough.
    @Test func aWebhookIsJudgedByTheProvidersOfTheCatalogue() async throws {
        try await withOwnSystem { system in
            func exitCode(_ url: String) async throws -> Int32 {
                try await system.tidings("recipient", "set", "shop", "--webhook", url).exitCode
            }
            try await Pipeline.apply(TestCatalogue.withWebhook, to: system)
            #expect(try await exitCode("http://127.0.0.1:9/") == 0)
            #expect(try await exitCode("http://10.0.0.5/") == 65)
            try await Pipeline.apply(TestCatalogue.withPush, to: system, "--remove")
            #expect(try await exitCode("http://127.0.0.1:9/") == 65, "without a provider of webhooks, the standard settings count")
            #expect(try await exitCode("https://example.com/") == 0)
        }
    }

    /// A command that changes something says so, and one that names no change is a mistake.
    @Test func aChangeIsConfirmedAndNoChangeIsRefused() async throws {
        try await withOwnSystem { system in
            let set = try await system.tidings("recipient", "set", "ann", "--time-zone", "Europe/Paris", "--prefer", "marketing=off")
            #expect(set.exitCode == 0 && set.output.isEmpty && set.errors == "stored for ann: time zone, preferences\n", "\(set.errors)")
            let registered = try await system.tidings("device", "register", "ann", "01e70c3a", "-o", "json")
            let device = try #require(try JSON.parse(registered.output)["device_id"]?.stringValue)
            for command in [["recipient", "set", "eve"], ["device", "update", device]] {
                let nothing = try await CommandLineTests.run(command, system.environment)
                #expect(nothing.exitCode == 64 && nothing.errors.contains("nothing to change"), "\(nothing.errors)")
            }
            #expect(try await system.tidings("recipient", "show", "eve").exitCode == 1, "nothing is stored")
            let removed = try await system.tidings("device", "remove", device)
            #expect(removed.exitCode == 0 && removed.errors.hasPrefix("removed: "), "\(removed.errors)")
        }
    }

    @Test func aClosedRowIsNotReplayed() async throws {
        try await withPipeline { pipeline in
            await pipeline.publish("hello")
            #expect(try await pipeline.system.eventually("select count(*) from tidings_ops.rejected") { $0 == 1 })
            let row = String(try await pipeline.system.count("select rejected_id from tidings_ops.rejected"))
            #expect(try await pipeline.system.tidings("rejected", "discard", row).exitCode == 0)
            let replay = try await pipeline.system.tidings("rejected", "replay", row)
            #expect(replay.exitCode == 1 && replay.errors.contains("discarded"), "\(replay.errors)")

            // The event takes the same queue. If the replay had published anything before it, the count would be higher.
            await pipeline.publish(event(id: "after", to: "reader"))
            _ = try await pipeline.outcome(of: "after")
            #expect(try await pipeline.taken() == 2)
        }
    }

    /// An exchange that does not exist acts as a broker that refuses messages.
    @Test func aFailedReplayLeavesTheRowOpen() async throws {
        try await withOwnSystem { system in
            let dead = try await Self.insert(into: "dead", columns: "queue, deaths", values: "'q', 1", in: system)
            _ = try await system.query("update tidings.dead set state = 'quarantined'")
            let rejected = try await Self.insert(
                into: "rejected", columns: "last_at, pointer, sha256, replayable", values: "now(), '', '', true", in: system)
            for (arguments, state) in [(["dead", "replay", dead], "quarantined"), (["rejected", "replay", rejected], "open")] {
                let result = try await CommandLineTests.run(arguments, system.environment)
                #expect(result.exitCode == 69 && result.errors.contains("404"), "\(result.errors)")
                #expect(result.errors.contains("tidings run router"), "it says who declares exchanges: \(result.errors)")
                #expect(try await system.count("select count(*) from tidings.\(unsafe: arguments[0]) where state = \(state)") == 1)
            }
            #expect(try await system.tidings("dead", "discard", dead).exitCode == 0)
            let closed = try await system.tidings("dead", "replay", dead)
            #expect(closed.exitCode == 1 && closed.errors.contains("discarded"), "\(closed.errors)")
        }
    }

    /// Keeps a message that came through an exchange that no longer exists. Returns the number of the row.
    private static func insert(into table: String, columns: String, values: String, in system: TestSystem) async throws -> String {
        String(
            try await system.count(
                """
                insert into tidings.\(unsafe: table) (fingerprint, at, reason, message, exchange, routing_key, headers, raw, size,
                    \(unsafe: columns))
                values (gen_random_uuid(), now(), 'notJSON', '', 'tidings.no-such-exchange', 'k', '{}', '', 0, \(unsafe: values)) returning id
                """))
    }

    @Test func aWrongDatabasePasswordIsExit77() async throws {
        try await withOwnSystem { system in
            var url = try #require(URLComponents(string: system.databaseURL))
            url.password = "wrong"
            var environment = system.environment
            environment["TIDINGS_DATABASE_URL"] = url.string
            let result = try await CommandLineTests.run(["status"], environment)
            #expect(result.exitCode == 77, "\(result.errors)")
            #expect(result.errors.contains("user and password"), "\(result.errors)")
        }
    }
}
