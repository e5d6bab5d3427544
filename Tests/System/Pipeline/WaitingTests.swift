import Testing
import TidingsPostgres
import TidingsTestSupport

/// A delivery that waits for quiet hours, a schedule or its expiry tells until when. At that time it is judged again.
@Suite struct WaitingTests {
    @Test func quietHoursHoldUntilTheirEnd() async throws {
        try await withPipeline { pipeline in
            try await pipeline.setQuietHours(of: "sleeper")
            await pipeline.publish(event(id: "later", type: "social", to: "sleeper"), key: "social.social")
            await pipeline.publish(event(id: "now", to: "sleeper"))

            #expect(try await pipeline.held("later") == [Ended("inApp", "held", "quietHours")])
            #expect(try await pipeline.outcome(of: "now").contains(Ended("inApp", "delivered", "delivered")), "transactional ignores them")
            let atTheirEnd = try await pipeline.system.count(
                """
                select count(*) from tidings_ops.deliveries
                where reason_code = 'quietHours' and due_at = date_trunc('minute', due_at)
                    and due_at between tidings.clock() + interval '58 minutes' and tidings.clock() + interval '60 minutes'
                """)
            #expect(atTheirEnd == 1)
            let why = try await pipeline.system.tidings("why", "later")
            #expect(why.output.contains("quietHours") && why.output.contains("until "), "\(why.output)")

            try await pipeline.shiftClock(by: "1 hour")
            #expect(try await pipeline.outcome(of: "later") == [Ended("inApp", "delivered", "delivered")])
            try await pipeline.expectSound()
        }
    }

    /// A delivery is scheduled for the last moment before quiet hours. If the releaser comes shortly after that moment, the delivery is
    /// still sent. If the releaser comes much later, it is held.
    @Test(arguments: [("20 seconds", "delivered"), ("10 minutes", "held")])
    func aDeliveryThatWasDueBeforeQuietHoursGoesOut(late: String, state: String) async throws {
        try await withPipeline { pipeline in
            let system = pipeline.system
            // Quiet hours last an hour and begin at a whole minute. The scheduled moment is a millisecond before.
            let (begins, ends, moment) = try await system.query(
                """
                select to_char(t, 'HH24:MI'), to_char(t + interval '1 hour', 'HH24:MI'),
                    to_char(t - interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
                from (select date_trunc('minute', tidings.clock() at time zone 'UTC') + interval '5 minutes' as t) q
                """
            ).rows[0].decode((String, String, String).self)
            let set = try await system.tidings("recipient", "set", "sleeper", "--time-zone", "UTC", "--quiet-hours", "\(begins)-\(ends)")
            #expect(set.exitCode == 0, "\(set.errors)")
            await pipeline.publish(
                event(id: "scheduled", type: "social", to: "sleeper", data: #""scheduledFor":"\#(moment)""#), key: "social.social")
            #expect(try await pipeline.held("scheduled") == [Ended("inApp", "held", "scheduledFor")])
            _ = try await system.query(
                """
                update tidings.clock_offset set shift = shift + (\(moment)::text::timestamptz - tidings.clock()) + \(late)::text::interval
                """)
            let judged: SQL = "select count(*) from tidings_ops.deliveries where reason_code in ('quietHours', 'delivered')"
            #expect(try await system.eventually(judged) { $0 == 1 }, "\(pipeline.roles.errorsSoFar)")
            let found = try await system.query("select state from tidings_ops.deliveries").rows.map { try $0.decode(String.self) }
            #expect(found == [state])
        }
    }

    @Test func preferencesCountAsTheyAreWhenItIsDue() async throws {
        try await withPipeline { pipeline in
            try await pipeline.setQuietHours(of: "sleeper")
            await pipeline.publish(event(id: "unwanted", type: "social", to: "sleeper"), key: "social.social")
            #expect(try await pipeline.held("unwanted") == [Ended("inApp", "held", "quietHours")])

            #expect(try await pipeline.system.tidings("recipient", "set", "sleeper", "--prefer", "inApp=off").exitCode == 0)
            try await pipeline.shiftClock(by: "1 hour")
            #expect(try await pipeline.outcome(of: "unwanted") == [Ended("inApp", "suppressed", "channelDisabled")])
            #expect(try await pipeline.system.count("select count(*) from tidings.inbox") == 0)
            try await pipeline.expectSound()
        }
    }

    @Test func aScheduledDeliveryGoesOutAtItsTime() async throws {
        try await withPipeline { pipeline in
            let sent = try await pipeline.system.tidings(
                "send", "orderUpdate", "--to", "reader", "--title", "T", "--id", "soon", "--in", "2s")
            #expect(sent.exitCode == 0, "\(sent.errors)")
            #expect(try await pipeline.outcome(of: "soon").contains(Ended("inApp", "delivered", "delivered")))
            let inTime = try await pipeline.system.count(
                """
                select count(*) from tidings_ops.notifications
                where idempotency_key = 'soon' and finished_at >= send_at and send_at > accepted_at
                """)
            #expect(inTime == 1)
            let heldFirst = try await pipeline.system.count(
                "select count(*) from tidings_ops.decisions where channel = 'inApp' and verdict = 'hold' and reason_code = 'scheduledFor'")
            #expect(heldFirst == 1)
        }
    }

    @Test func aDeliveryThatComesTooLateExpires() async throws {
        try await withPipeline { pipeline in
            await pipeline.publish(event(id: "stale", to: "reader", data: #""expiresAt":"2020-01-01T00:00:00Z""#))
            #expect(try await pipeline.outcome(of: "stale").contains(Ended("inApp", "expired", "expired")))

            try await pipeline.setQuietHours(of: "sleeper")
            let soon = try await pipeline.system.query(
                "select to_char((tidings.clock() + interval '30 minutes') at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')")
            let expiry = try #require(soon.rows.first).decode(String.self)
            await pipeline.publish(
                event(id: "overslept", type: "social", to: "sleeper", data: #""expiresAt":"\#(expiry)""#), key: "social.social")
            #expect(try await pipeline.held("overslept") == [Ended("inApp", "held", "quietHours")])
            try await pipeline.shiftClock(by: "1 hour")
            #expect(try await pipeline.outcome(of: "overslept") == [Ended("inApp", "expired", "expired")])
            try await pipeline.expectSound()
        }
    }
}

extension Pipeline {
    /// Sets quiet hours that began an hour ago and end in an hour, in UTC.
    func setQuietHours(of person: String) async throws {
        let window = try await system.query(
            """
            select to_char((tidings.clock() - interval '1 hour') at time zone 'UTC', 'HH24:MI') || '-'
                || to_char((tidings.clock() + interval '1 hour') at time zone 'UTC', 'HH24:MI')
            """)
        let text = try #require(window.rows.first).decode(String.self)
        let result = try await system.tidings("recipient", "set", person, "--time-zone", "UTC", "--quiet-hours", text)
        #expect(result.exitCode == 0, "\(result.errors)")
    }
}
