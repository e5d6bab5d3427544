import Testing
import TidingsJSON
import TidingsPostgres
import TidingsTestSupport

/// Paused deliveries are held with that reason. When the pause ends, all of them continue.
@Suite struct PauseTests {
    @Test(arguments: [
        ("channel", "push", ["push"]), ("channel", "inApp", ["inApp"]), ("provider", "phone", ["push"]),
        ("type", "orderUpdate", ["inApp", "push"]), ("tenant", "default", ["inApp", "push"]),
    ])
    func eachKindHoldsWhatItNamesAndResumes(scope: String, name: String, held: [String]) async throws {
        try await withPipeline(catalogue: TestCatalogue.withPush) { pipeline in
            let probe = try await pipeline.pause(scope, name, reason: "bad template")
            await pipeline.publish(event(id: "other", type: "social", to: "reader", data: #""tenant":"acme","channels":["inApp"]"#))
            let ends = ["inApp": Ended("inApp", "delivered", "delivered"), "push": Ended("push", "sent", "accepted")]
            #expect(try await pipeline.deliveries(of: probe).filter { $0.reason == "paused" } == held.map { Ended($0, "held", "paused") })
            if name != "inApp" { #expect(try await pipeline.outcome(of: "other") == [Ended("inApp", "delivered", "delivered")]) }

            let why = try await pipeline.system.tidings("why", probe)
            #expect(why.output.contains("\(scope) \(name) is paused since") && why.output.contains(": bad template"), "\(why.output)")
            let status = try await pipeline.json("status")
            let paused = try #require(status["pauses"]?.arrayValue?.first)
            #expect(paused["scope"]?.stringValue == scope && paused["target"]?.stringValue == name)
            #expect(paused["reason"]?.stringValue == "bad template" && paused["paused_by"]?.stringValue?.contains("@") == true)
            #expect(try #require(paused["deliveries"]?.intValue) >= held.count)
            let plan = try await pipeline.json("simulate", "orderUpdate", "--to", "reader").arrayValue ?? []
            #expect(plan.filter { $0["reason_code"]?.stringValue == "paused" }.count == held.count)

            let waiting = try await pipeline.system.count("select count(*) from tidings_ops.deliveries where reason_code = 'paused'")
            let resumed = try await pipeline.json("resume", scope, name)
            #expect(resumed["deliveries"]?.intValue == waiting)
            let outcome = try await pipeline.outcome(of: probe)
            #expect(outcome == ends.sorted { $0.key < $1.key }.map(\.value))
            #expect(try await pipeline.json("pause", "list") == [])
            try await pipeline.expectSound()
        }
    }

    /// A resumed delivery is judged by the preferences and the expiry of that moment. A delivery that expires during the pause ends at its
    /// expiry.
    @Test func aResumedDeliveryIsJudgedAnew() async throws {
        try await withPipeline(catalogue: TestCatalogue.withPush) { pipeline in
            try await pipeline.pause("channel", "push")
            let expiry = try await pipeline.clock(plus: "30 minutes")
            await pipeline.publish(event(id: "stale", to: "reader", data: #""expiresAt":"\#(expiry)","channels":["push"]"#))
            await pipeline.publish(event(id: "unwanted", to: "shy", data: #""channels":["push"]"#))
            await pipeline.publish(event(id: "wanted", to: "reader", data: #""channels":["push"]"#))
            for id in ["stale", "unwanted", "wanted"] { #expect(try await pipeline.held(id) == [Ended("push", "held", "paused")]) }
            #expect(try await pipeline.system.tidings("recipient", "set", "shy", "--prefer", "push=off").exitCode == 0)

            try await pipeline.shiftClock(by: "1 hour")
            #expect(try await pipeline.outcome(of: "stale") == [Ended("push", "expired", "expired")])
            #expect(try await pipeline.deliveries(of: "wanted") == [Ended("push", "held", "paused")], "still paused")
            #expect(try await pipeline.system.tidings("resume", "channel", "push").exitCode == 0)
            #expect(try await pipeline.outcome(of: "wanted") == [Ended("push", "sent", "accepted")])
            #expect(try await pipeline.outcome(of: "unwanted") == [Ended("push", "suppressed", "channelDisabled")])
            try await pipeline.expectSound()
        }
    }

    @Test func aPauseWithAnEndEndsByItself() async throws {
        try await withPipeline(catalogue: TestCatalogue.withPush) { pipeline in
            let probe = try await pipeline.pause("provider", "phone", "--for", "2h")
            try await pipeline.shiftClock(by: "1 hour")
            // A second pause sets a new end. Held deliveries keep waiting for the same pause.
            let again = try await pipeline.json("pause", "provider", "phone", "--reason", "still bad", "--for", "3h")
            #expect(again["deliveries"]?.intValue ?? 0 > 0)
            try await pipeline.shiftClock(by: "2 hours")
            #expect(try await pipeline.deliveries(of: probe).contains(Ended("push", "held", "paused")), "not before its new end")
            try await pipeline.shiftClock(by: "1 hour")
            #expect(try await pipeline.outcome(of: probe).contains(Ended("push", "sent", "accepted")))
            #expect(try await pipeline.json("pause", "list") == [])
            let past = try await pipeline.json("pause", "list", "--all").arrayValue ?? []
            #expect(past.count == 1 && past[0]["state"]?.stringValue == "over" && past[0]["reason"]?.stringValue == "still bad", "\(past)")
            #expect(try await pipeline.system.tidings("resume", "provider", "phone").exitCode == 1)
            try await pipeline.expectSound()
        }
    }

    @Test func aPauseSurvivesARestart() async throws {
        try await withPipeline(catalogue: TestCatalogue.withPush) { pipeline in
            let probe = try await pipeline.pause("channel", "push")
            pipeline.roles.signal(9)
            _ = await pipeline.roles.finish()
            let again = try await Pipeline.startRoles(of: pipeline.system)
            // The new process knows the pause from its first intent on.
            await pipeline.publish(event(id: "first", to: "reader"))
            #expect(try await pipeline.held("first").contains(Ended("push", "held", "paused")))
            #expect(try await pipeline.system.tidings("resume", "channel", "push").exitCode == 0)
            for id in [probe, "first"] { #expect(try await pipeline.outcome(of: id).contains(Ended("push", "sent", "accepted"))) }
            #expect(again.isRunning)
            #expect(try await pipeline.system.tidings("db", "verify").exitCode == 0)
        }
    }

    /// Paused deliveries are not even read while others pass, however many they are.
    @Test func aPausedDeliveryStandsInNoOtherDeliverysWay() async throws {
        try await withPipeline(catalogue: TestCatalogue.withPush) { pipeline in
            try await pipeline.pause("channel", "push")
            for batch in 0..<3 {
                let recipients = (0..<500).map { #""reader-\#(batch)-\#($0)""# }.joined(separator: ",")
                await pipeline.publish(
                    #"{"specversion":"1.0","id":"many-\#(batch)","source":"/tests","type":"orderUpdate","data":"#
                        + #"{"recipients":[\#(recipients)],"title":"T","channels":["push"]}}"#)
            }
            let many: SQL = """
                tidings.due w join tidings.notifications n on n.id = w.notification_id where w.pause_id is not null and n.event_id like 'many-%'
                """
            #expect(try await pipeline.system.eventually("select count(*) from \(many)") { $0 == 1_500 })
            let places: SQL =
                "select md5(string_agg(w.ctid::text || w.xmin || w.xmax, ',' order by w.ctid)) from \(many)"
            let before = try await pipeline.system.query(places).rows.map { try $0.decode(String.self) }
            for id in ["a", "b", "c"] {
                let sent = try await pipeline.system.tidings(
                    "send", "orderUpdate", "--to", "reader", "--title", "T", "--id", id, "--in", "1s", "--channel", "inApp")
                #expect(sent.exitCode == 0, "\(sent.errors)")
                #expect(try await pipeline.outcome(of: id) == [Ended("inApp", "delivered", "delivered")])
            }
            let after = try await pipeline.system.query(places).rows.map { try $0.decode(String.self) }
            #expect(before == after, "a releaser locked or moved what is paused")
            #expect(try await pipeline.system.tidings("resume", "channel", "push").exitCode == 0)
            let all: SQL = "select count(*) from tidings_ops.deliveries where channel = 'push' and state = 'sent'"
            #expect(try await pipeline.system.eventually(all) { $0 >= 1_500 })
            try await pipeline.expectSound()
        }
    }

    /// A tenant is declared nowhere. A name without any trace is more likely a mistake than a tenant to come.
    @Test func aTenantIsKnownByItsPeopleAndNotifications() async throws {
        try await withPipeline { pipeline in
            let system = pipeline.system
            await pipeline.publish(event(id: "one", to: "reader", data: #""tenant":"acme""#))
            _ = try await pipeline.outcome(of: "one")
            #expect(try await system.tidings("recipient", "set", "reader", "--tenant", "globex", "--market", "default").exitCode == 0)
            for (misspelt, known) in [("acmee", "acme"), ("globx", "globex")] {
                let refused = try await system.tidings("pause", "tenant", misspelt, "--reason", "r")
                #expect(refused.exitCode == 65 && refused.errors.contains("did you mean \(known)?"), "\(refused.errors)")
                #expect(refused.errors.contains("--no-check"), "\(refused.errors)")
                #expect(try await system.tidings("pause", "tenant", known, "--reason", "r").exitCode == 0)
            }
            #expect(try await system.tidings("pause", "tenant", "acmee", "--reason", "r", "--no-check").exitCode == 0)
            #expect(try await system.count("select count(*) from tidings.pauses") == 3)
        }
    }

    @Test(arguments: [
        (["pause", "shop", "push", "--reason", "r"], Int32(65), "channel, provider, type, tenant"),
        (["pause", "channel", "fax", "--reason", "r"], 65, "unknown channel fax"),
        (["pause", "type", "orderUpdat", "--reason", "r"], 65, "did you mean orderUpdate?"),
        (["pause", "provider", "nobody", "--reason", "r"], 65, "no provider nobody"),
        (["pause", "tenant", "acme", "--reason", "r"], 65, "tenant acme has no person, no notification"),
        (["pause", "tenant", "defualt", "--reason", "r"], 65, "did you mean default?"),
        (["pause", "channel", "push", "--reason", " "], 65, "--reason"),
        (["pause", "channel", "push", "--reason", "r", "--for", "soon"], 65, "--for soon"),
        (["pause", "channel", "push"], 64, "--reason"),
        (["resume", "channel", "push"], 1, "channel push is not paused"),
    ])
    func mistakesAreTold(arguments: [String], exitCode: Int32, text: String) async throws {
        try await withOwnSystem { system in
            let result = try await CommandLineTests.run(arguments, system.environment)
            #expect(result.exitCode == exitCode, "\(result.errors)")
            #expect(result.errors.contains(text), "\(result.errors)")
            #expect(try await system.count("select count(*) from tidings.pauses") == 0)
        }
    }
}

extension Pipeline {
    /// Pauses a target as an operator does, and waits until the roles follow: publishes events until one is held. Returns the id of that
    /// event.
    @discardableResult
    func pause(_ scope: String, _ name: String, _ more: String..., reason: String = "a test") async throws -> String {
        let environment = system.environment
        let arguments = ["pause", scope, name, "--reason", reason] + more
        let result = try await TestProcess([TestSystem.binary] + arguments, environment: environment).finish()
        try #require(result.exitCode == 0, "\(result.errors)")
        var number = 0
        var holds = false
        while !holds {
            number += 1
            try #require(number < 200, "nothing is held although \(scope) \(name) is paused")
            await publish(event(id: "probe-\(number)", to: "probe"))
            let id = "probe-\(number)"
            let settled = try await system.eventually(
                """
                select count(*) from tidings_ops.notifications n where n.idempotency_key = \(id)
                    and not exists (select from tidings_ops.deliveries d where d.notification_id = n.notification_id and d.state = 'queued')
                """
            ) { $0 == 1 }
            try #require(settled, "\(id) is not at rest: \(roles.errorsSoFar)")
            // The router itself must have decided the pause, because a worker may follow it a moment earlier.
            let decided: SQL = "select count(*) from tidings.notifications where event_id = \(id) and decision like '%paused%'"
            holds = try await system.count(decided) > 0
        }
        return "probe-\(number)"
    }

    /// The time of the business clock plus this interval, in the form of an event.
    func clock(plus interval: String) async throws -> String {
        let text = try await system.query(
            "select to_char((tidings.clock() + \(interval)::text::interval) at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')")
        return try #require(text.rows.first).decode(String.self)
    }
}
