import Testing
import TidingsPostgres
import TidingsTestSupport

/// A provider refuses one call for a while. That call is repeated, and no other call is.
@Suite struct PassingRefusalTests {
    /// One of a person's three devices fails for a moment. It gets its push at the second attempt. The other two get no second push.
    @Test func oneDeviceOfThreeFailsForAMoment() async throws {
        let tokens = ["good-1", "test:flaky-1", "good-2"]
        try await withPushMarkets { pipeline, markets in
            let system = pipeline.system
            #expect(try await system.tidings("recipient", "set", "owner", "--market", "mx").exitCode == 0)
            for token in tokens { try await pipeline.register("owner", token) }
            await pipeline.publish(event(id: "to-three", to: "owner"))
            let sent: SQL = "select count(*) from tidings_ops.deliveries where provider = 'fcm' and state = 'sent'"
            #expect(try await system.eventually(sent) { $0 >= 2 }, "\(pipeline.roles.errorsSoFar)")
            #expect(
                try await pipeline.byProvider(of: "to-three") == [
                    "dmp sent accepted", "fcm sent accepted", "fcm sent accepted", "fcm sent accepted", "inbox delivered delivered",
                ])
            let messages = try markets.accepted(below: "/fcm/v1/")
            #expect(messages.count == tokens.count, "\(messages)")
            for token in tokens { #expect(messages.count { $0.contains("\"\(token)\"") } == 1, "\(token): \(messages)") }
            #expect(try markets.requests(below: "/fcm/v1/").count == tokens.count + 1)
            let outcomes = try await system.query(
                "select outcome || ' ' || count(*) from tidings_ops.attempts where provider = 'fcm' group by outcome order by 1"
            ).rows
            #expect(try outcomes.map { try $0.decode(String.self) } == ["accepted 3", "retry 1"])
            #expect(try await system.count("select count(*) from tidings_ops.devices where state = 'active'") == tokens.count)
            #expect(try await system.count("select count(*) from tidings_ops.possible_duplicates") == 0)
            try await pipeline.expectSound()
        }
    }

    /// A provider asks for a pause of a minute. The lease of a pack is 25 s, so no pack may hold the delivery meanwhile.
    @Test func aPauseMayBeLongerThanALease() async throws {
        try await withPushMarkets { pipeline, markets in
            let system = pipeline.system
            #expect(try await system.tidings("recipient", "set", "owner", "--market", "mx").exitCode == 0)
            try await pipeline.register("owner", "a-token")
            try await markets.behave(#"{"path":"/fcm/v1","script":[429],"retryAfter":60}"#)
            await pipeline.publish(event(id: "throttled", to: "owner"))
            let waiting: SQL = """
                select count(*) from tidings_ops.deliveries where provider = 'fcm' and state = 'retrying'
                    and reason_code = 'providerThrottled' and due_at > tidings.clock() + interval '45 seconds'
                """
            #expect(try await system.eventually(waiting) { $0 == 1 }, "\(pipeline.roles.errorsSoFar)")
            #expect(try await system.count("select count(*) from tidings.packs where provider = 'fcm'") == 0)

            // The end of another delivery, which is due at 35 s, shows that releasers have looked since.
            let probe = try await system.tidings(
                "send", "orderUpdate", "--to", "other", "--title", "T", "--id", "probe", "--channel", "inApp", "--in", "35s")
            #expect(probe.exitCode == 0, "\(probe.errors)")
            #expect(try await pipeline.held("probe") == [Ended("inApp", "held", "scheduledFor")])
            try await pipeline.shiftClock(by: "40 seconds")
            #expect(try await pipeline.outcome(of: "probe") == [Ended("inApp", "delivered", "delivered")])
            #expect(try markets.requests(below: "/fcm/v1/").count == 1, "called within the pause")

            try await pipeline.shiftClock(by: "40 seconds")
            #expect(
                try await pipeline.byProvider(of: "throttled") == ["dmp sent accepted", "fcm sent accepted", "inbox delivered delivered"])
            #expect(try markets.requests(below: "/fcm/v1/").map(\.status) == [429, 200])
            #expect(try await system.count("select count(*) from tidings_ops.attempts where reason_code = 'workerDied'") == 0)
            #expect(try await system.count("select count(*) from tidings_ops.possible_duplicates") == 0)
            try await pipeline.expectSound()
        }
    }
}
