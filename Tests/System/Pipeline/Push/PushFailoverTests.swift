import Testing
import TidingsJSON
import TidingsPostgres
import TidingsTestSupport

/// One provider of a market takes over from another, and the database records the reason.
@Suite struct PushFailoverTests {
    /// An in-house service as a provider of push. The service answers as the path of `tidings capture` says.
    private typealias Service = (name: String, path: String, members: String)

    private static func service(_ name: String, _ path: String, _ members: String = "addressing: person") -> Service {
        (name, path, members)
    }

    /// A catalogue with one market, in which these services carry pushes. The market also has an inbox.
    private static func catalogue(_ services: Service..., strategy: String = "first", more: String = "") -> (PushMarkets) -> String {
        { markets in
            let providers = services.map {
                "  \($0.name): {channel: push, kind: http, \($0.members), settings: {url: \"\(markets.capture)\($0.path)/\($0.name)\"}}"
            }
            return """
                types:
                  orderUpdate: {category: transactional, channels: [push], allowsCritical: true}
                  social: {category: social, channels: [push]}
                  promotion: {category: marketing, channels: [push]}
                markets:
                  us:
                    push: {providers: [\(services.map(\.name).joined(separator: ", "))], strategy: \(strategy)\(more)}
                    inApp: [inbox]
                defaultMarket: us
                providers:
                  inbox: {channel: inApp, kind: inbox}
                \(providers.joined(separator: "\n"))
                """
        }
    }

    private static func attempts(of eventID: String, in pipeline: Pipeline) async throws -> [String] {
        let result = try await pipeline.system.query(
            """
            select a.provider || ' ' || a.attempt || ' ' || a.outcome || ' ' || a.reason_code from tidings_ops.attempts a
            join tidings_ops.notifications n using (notification_id) where n.idempotency_key = \(eventID) order by a.ordinal, a.attempt
            """)
        return try result.rows.map { try $0.decode(String.self) }
    }

    @Test func aMisconfiguredProviderGivesWayToTheNext() async throws {
        let catalogue = Self.catalogue(
            Self.service("one", "/status/401"), Self.service("dmp", "/ok", "copy: true"), Self.service("two", "/ok"))
        try await withPushMarkets(catalogue: catalogue) { pipeline, markets in
            let plan = try await pipeline.json("simulate", "orderUpdate", "--to", "uma").arrayValue ?? []
            #expect(
                plan.map { $0["provider"]?.stringValue } == ["one", "dmp"] && plan.map { $0["has_standby"]?.boolValue } == [true, false])

            await pipeline.publish(event(id: "moves", to: "uma"))
            #expect(try await pipeline.byProvider(of: "moves") == ["dmp sent accepted", "two sent accepted"])
            #expect(
                try await Self.attempts(of: "moves", in: pipeline) == [
                    "one 1 misconfigured misconfigured", "two 2 accepted accepted", "dmp 1 accepted accepted",
                ])
            let calls = try ["/status/401/one", "/ok/two", "/ok/dmp"].map { try markets.requests(below: $0).count }
            #expect(calls == [1, 1, 1])

            let why = try await pipeline.system.tidings("why", "moves").output
            #expect(why.contains("moved from one to two: misconfigured. The provider's configuration is wrong"), "\(why)")
            #expect(why.contains("rule: push in us, first → one, then two"), "\(why)")
            #expect(why.contains("  attempt 1: misconfigured 401, ") && !why.contains("misconfigured misconfigured"), "\(why)")
            let story = try await pipeline.system.count(
                """
                select count(*) from tidings_ops.timeline t join tidings_ops.notifications n using (notification_id)
                where n.idempotency_key = 'moves' and t.event = 'moved' and t.summary = 'from one to two' and t.reason_code = 'misconfigured'
                """)
            #expect(story == 1)
            let counts = try await pipeline.system.query(
                """
                select market || ' ' || provider || ' ' || type || ' ' || outcome || ' ' || reason_code || ' ' || n
                from tidings_ops.outcomes_by_market order by 1
                """
            ).rows.map { try $0.decode(String.self) }
            #expect(
                counts == [
                    "us dmp orderUpdate sent accepted 1", "us one orderUpdate gaveUp misconfigured 1", "us two orderUpdate sent accepted 1",
                ])
            try await pipeline.expectSound()
        }
    }

    /// Each provider is tried once, in turn. If no provider is left, the delivery ends with the last reason. An operator's retry begins
    /// with the first provider again.
    @Test func theLastReasonIsTheEndIfAllRefuse() async throws {
        let catalogue = Self.catalogue(
            Self.service("one", "/status/400"), Self.service("two", "/status/403"), Self.service("three", "/status/422"))
        try await withPushMarkets(catalogue: catalogue) { pipeline, markets in
            await pipeline.publish(event(id: "nobody", to: "uma"))
            #expect(try await pipeline.byProvider(of: "nobody") == ["three failed providerRejected"])
            let once = [
                "one 1 rejected providerRejected", "two 2 misconfigured misconfigured", "three 3 rejected providerRejected",
            ]
            #expect(try await Self.attempts(of: "nobody", in: pipeline) == once)

            let delivery = try await pipeline.notificationID(of: "nobody") + "/0"
            #expect(try await pipeline.system.tidings("delivery", "retry", delivery).exitCode == 0)
            let again = try await eventually { try await Self.attempts(of: "nobody", in: pipeline).count == 6 }
            #expect(again)
            #expect(try await pipeline.byProvider(of: "nobody") == ["three failed providerRejected"])
            #expect(
                try await Self.attempts(of: "nobody", in: pipeline).dropFirst(3) == [
                    "one 4 rejected providerRejected", "two 5 misconfigured misconfigured", "three 6 rejected providerRejected",
                ])
            try await pipeline.expectSound()
        }
    }

    /// A delivery that the first provider fails to accept waits for its retry. Once the circuit breaker is open, no delivery waits for that
    /// provider any more.
    @Test func anOpenBreakerGivesWayToTheNext() async throws {
        let catalogue = Self.catalogue(Self.service("one", "/status/503"), Self.service("two", "/ok"))
        try await withPushMarkets(catalogue: catalogue) { pipeline, markets in
            let events = (0..<12).map { "broken-\($0)" }
            for id in events { await pipeline.publish(event(id: id, to: id)) }
            for id in events { #expect(try await pipeline.byProvider(of: id) == ["two sent accepted"]) }
            let becauses = try await pipeline.system.query(
                "select distinct moved_because from tidings_ops.decisions where moved_from = 'one'")
            #expect(try becauses.rows.map { try $0.decode(String.self) } == ["breakerOpen"])
            #expect(try markets.requests(below: "/ok/two").count == events.count, "each once")
            let logged = pipeline.roles.errorsSoFar.split(separator: "\n").filter { $0.contains("circuit breaker opened") }
            #expect(logged.count == 1 && logged[0].contains("one"), "\(logged)")
            try await pipeline.expectSound()
        }
    }

    /// The second provider refuses every delivery. Deliveries that moved there while the first was failing go back, and wait for the first.
    @Test func aDeliveryThatTheNextProviderRefusesReturnsToTheFirst() async throws {
        let catalogue = Self.catalogue(Self.service("one", "/ok"), Self.service("two", "/status/401"))
        try await withPushMarkets(catalogue: catalogue) { pipeline, markets in
            try await markets.behave(#"{"path":"/ok/one","then":503}"#)
            let events = (0..<12).map { "back-\($0)" }
            for id in events { await pipeline.publish(event(id: id, to: id)) }
            let cameBack = try await pipeline.system.eventually(
                "select count(*) from tidings_ops.decisions where moved_from = 'two' and moved_because = 'misconfigured' and provider = 'one'"
            ) { $0 > 0 }
            try #require(cameBack, "\(pipeline.roles.errorsSoFar)")
            try await markets.behave(nil)
            for id in events { #expect(try await pipeline.byProvider(of: id) == ["one sent accepted"]) }
            #expect(try await Self.mostMoves(from: "two", in: pipeline) == 1)
            #expect(try markets.accepted(below: "/ok/one").count == events.count, "each once")
            try await pipeline.expectSound()
        }
    }

    /// If both circuit breakers are open, a delivery waits at the second provider. No delivery moves to and fro.
    @Test func aDeliveryWaitsWhileBothProvidersAreFailing() async throws {
        let catalogue = Self.catalogue(Self.service("one", "/ok"), Self.service("two", "/ok"))
        try await withPushMarkets(catalogue: catalogue) { pipeline, markets in
            let events = try await Self.publishWhileBothFail(in: pipeline, markets)
            try await markets.behave(nil)
            for id in events { _ = try await pipeline.outcome(of: id) }
            let ends = try await pipeline.system.query("select distinct state || ' ' || reason_code from tidings_ops.deliveries")
            #expect(try ends.rows.map { try $0.decode(String.self) } == ["sent accepted"])
            #expect(try await Self.mostMoves(from: "one", in: pipeline) == 1)
            #expect(try await Self.mostMoves(from: "two", in: pipeline) == 0)
            try await pipeline.expectSound()
        }
    }

    /// A delivery at the second provider does not wait for ever if the first has recovered.
    @Test func aProviderThatWasSkippedIsCalledAgainInTime() async throws {
        let catalogue = Self.catalogue(Self.service("one", "/ok"), Self.service("two", "/ok"))
        try await withPushMarkets(catalogue: catalogue) { pipeline, markets in
            let events = try await Self.publishWhileBothFail(in: pipeline, markets)
            try await markets.behave(nil)
            try await markets.behave(#"{"path":"/ok/two","then":503}"#)
            // Until the first provider is known to have recovered, deliveries to it move to the second once more. Deliveries that the
            // second uses as trial calls wait for their own retry.
            var haveGoneBack = false
            for _ in 0..<4 where !haveGoneBack {
                // The shift is longer than the longest pause of a circuit breaker.
                try await pipeline.shiftClock(by: "2 minutes")
                haveGoneBack = try await pipeline.system.eventually(
                    within: .seconds(10), "select count(*) from tidings_ops.deliveries where provider = 'one' and state = 'sent'"
                ) { $0 >= events.count - 4 }
            }
            #expect(haveGoneBack, "\(pipeline.roles.errorsSoFar)")
            #expect(try await pipeline.system.count("select count(*) from tidings_ops.decisions where moved_from = 'two'") > 0)
        }
    }

    /// Makes both providers fail. Returns when deliveries wait at the second provider.
    private static func publishWhileBothFail(in pipeline: Pipeline, _ markets: PushMarkets) async throws -> [String] {
        try await markets.behave(#"{"path":"/ok","then":503}"#)
        let events = (0..<24).map { "both-\($0)" }
        for id in events { await pipeline.publish(event(id: id, to: id)) }
        let isOpenAtBoth = try await pipeline.system.eventually(
            "select count(*) from tidings_ops.deliveries where provider = 'two' and state = 'retrying' and reason_code = 'breakerOpen'"
        ) { $0 > 0 }
        try #require(isOpenAtBoth, "\(pipeline.roles.errorsSoFar)")
        return events
    }

    /// The most times that one delivery left a provider.
    private static func mostMoves(from provider: String, in pipeline: Pipeline) async throws -> Int {
        try await pipeline.system.count(
            """
            select coalesce(max(n), 0) from (select count(*) as n from tidings_ops.decisions where moved_from = \(provider)
                group by notification_id, ordinal) as moves
            """)
    }

    /// Bytes were sent and no answer came, at once or within the time of the call. So no other provider sends the push as well.
    @Test(arguments: ["/reset", "/hang"]) func aPushThatMayHaveArrivedStaysWithItsProvider(path: String) async throws {
        let services = Self.catalogue(Self.service("one", path), Self.service("two", "/ok"))
        let catalogue: (PushMarkets) -> String = {
            services($0).replacing("\(path)/one\"", with: "\(path)/one\", timeoutSeconds: \(Patience.scaled(1))")
        }
        try await withPushMarkets(catalogue: catalogue) { pipeline, markets in
            await pipeline.publish(event(id: "perhaps", type: "promotion", to: "uma"), key: "marketing.promotion")
            #expect(try await pipeline.byProvider(of: "perhaps") == ["one failed outcomeUnknown"])
            await pipeline.publish(event(id: "again", to: "uma"))
            let retries = try await pipeline.system.eventually(
                """
                select count(*) from tidings_ops.attempts a join tidings_ops.notifications n using (notification_id)
                where n.idempotency_key = 'again' and a.outcome = 'unknown'
                """
            ) { $0 >= 2 }
            #expect(retries)
            let standbys = try await pipeline.system.query(
                """
                select d.has_standby from tidings_ops.decisions d join tidings_ops.notifications n using (notification_id)
                where n.idempotency_key = 'again' order by d.decided_at
                """)
            #expect(try standbys.rows.map { try $0.decode(Bool.self) } == [true], "a retry by the same provider is no new decision")
            #expect(try markets.requests(below: "/ok/two").isEmpty)
        }
    }

    /// A scheduled push is one delivery of its whole channel until it is due. Then each device and each provider of copies gets it.
    @Test func aScheduledPushGoesToEveryDeviceAndAsACopy() async throws {
        let catalogue = Self.catalogue(
            Self.service("tokens", "/ok", "addressing: device"), Self.service("dmp", "/ok", "copy: true"), strategy: "all")
        try await withPushMarkets(catalogue: catalogue) { pipeline, _ in
            for token in ["a-token", "another-token"] { try await pipeline.register("owner", token) }
            _ = try await pipeline.system.query("update tidings.endpoints set provider = null")
            let sent = try await pipeline.system.tidings(
                "send", "orderUpdate", "--to", "owner", "--title", "T", "--id", "soon", "--in", "1h")
            #expect(sent.exitCode == 0, "\(sent.errors)")
            #expect(try await pipeline.held("soon") == [Ended("push", "held", "scheduledFor")])
            try await pipeline.shiftClock(by: "1 hour")
            #expect(try await pipeline.byProvider(of: "soon") == ["dmp sent accepted", "tokens sent accepted", "tokens sent accepted"])
            try await pipeline.expectSound()
        }
    }

    /// If every provider that addresses people refuses, a person's push becomes one push for each device.
    @Test func aPersonsPushBecomesOnePushForEachDevice() async throws {
        let catalogue = Self.catalogue(Self.service("people", "/status/401"), Self.service("tokens", "/ok", "addressing: device"))
        try await withPushMarkets(catalogue: catalogue) { pipeline, markets in
            for token in ["a-token", "another-token"] { try await pipeline.register("owner", token) }
            _ = try await pipeline.system.query("update tidings.endpoints set provider = null")
            await pipeline.publish(event(id: "wide", to: "owner"))
            #expect(try await pipeline.byProvider(of: "wide") == ["tokens sent accepted", "tokens sent accepted"])
            let bodies = try markets.accepted(below: "/ok/tokens")
            #expect(
                bodies.count == 2 && ["a-token", "another-token"].allSatisfy { token in bodies.contains { $0.contains("\"\(token)\"") } })
            try await pipeline.expectSound()
        }
    }

    /// A copy that arrived reaches no person, so the next channel is still needed.
    @Test func escalationGoesOnOnlyWhenNoProviderIsLeft() async throws {
        let catalogue = Self.catalogue(
            Self.service("one", "/status/401"), Self.service("dmp", "/ok", "copy: true"), Self.service("two", "/status/400"))
        try await withPushMarkets(catalogue: catalogue) { pipeline, _ in
            await pipeline.publish(event(id: "urgent", to: "uma", data: #""critical":true,"channels":["push","inApp"]"#))
            #expect(
                try await pipeline.byProvider(of: "urgent") == [
                    "dmp sent accepted", "inbox delivered delivered", "two failed providerRejected",
                ])
            try await pipeline.expectSound()
        }
    }

    /// Held deliveries are sent by the providers that serve the market at that time.
    @Test func heldWorkFollowsAMarketThatMoves() async throws {
        let (before, after) = (
            Self.catalogue(Self.service("one", "/ok"), strategy: "all"),
            Self.catalogue(Self.service("tokens", "/ok", "addressing: device"), strategy: "first")
        )
        try await withPushMarkets(catalogue: before) { pipeline, markets in
            let system = pipeline.system
            for token in ["a-token", "another-token"] { try await pipeline.register("owner", token) }
            _ = try await system.query("update tidings.endpoints set provider = null")
            try await pipeline.setQuietHours(of: "owner")
            await pipeline.publish(event(id: "held", type: "social", to: "owner"), key: "social.social")
            #expect(try await pipeline.held("held") == [Ended("push", "held", "quietHours")])

            try await withFile(after(markets)) { path in
                let difference = try await system.tidings("catalogue", "diff", path)
                #expect(difference.exitCode == 1)
                let words = [
                    "market us, push: adds tokens", "market us, push: removes one", "market us, push: strategy all → first",
                    "provider one: is gone", "provider tokens: is new",
                ]
                #expect(difference.output.split(separator: "\n").prefix(words.count).map(String.init) == words, "\(difference.output)")
            }
            // The removed provider has held deliveries.
            try await Pipeline.apply(after(markets), to: system, "--remove")
            var probes = 0
            // Publishes until the roles follow the catalogue. Transactional events wait for no quiet hours.
            let isActive = try await eventually {
                probes += 1
                await pipeline.publish(event(id: "probe-\(probes)", to: "owner"))
                return try await pipeline.byProvider(of: "probe-\(probes)").contains("tokens sent accepted")
            }
            #expect(isActive)
            _ = try await system.query("update tidings.recipients set quiet_start = null, quiet_end = null")
            _ = try await system.query("update tidings.due set due_at = tidings.clock()")
            #expect(try await pipeline.byProvider(of: "held") == ["tokens sent accepted", "tokens sent accepted"])
            #expect(try !markets.requests(below: "/ok/one").contains { $0.body?.contains("social") == true })
            try await pipeline.expectSound()
        }
    }

    /// Each person keeps one provider, chosen by weight.
    @Test func weightsShareThePeople() async throws {
        let catalogue = Self.catalogue(
            Self.service("one", "/ok"), Self.service("two", "/ok"), strategy: "weighted", more: ", weights: {one: 3, two: 1}")
        try await withPushMarkets(catalogue: catalogue) { pipeline, _ in
            for (person, provider) in [("person-1", "one"), ("person-3", "one"), ("person-4", "two")] {
                for turn in 1...2 {
                    await pipeline.publish(event(id: "\(person)-\(turn)", to: person))
                    let ended = try await pipeline.byProvider(of: "\(person)-\(turn)")
                    #expect(ended == ["\(provider) sent accepted"])
                }
            }
        }
    }
}
