import Testing
import TidingsCore
import TidingsPostgres
import TidingsTestSupport

/// A provider misbehaves under the whole pipeline. Each of its deliveries must end as its category says, and no other provider may be
/// affected.
@Suite struct MisbehaviourTests {
    /// The people of the misbehaving provider. Each gets one notification that is retried after an unknown outcome, and one that is not.
    private static let people = 12
    /// The people of another provider.
    private static let neighbours = 4
    /// The longest pause of a circuit breaker, plus the usual patience. The longer a busy machine takes to begin everything, the longer the
    /// pauses are.
    private static let afterRepair = Breaker.Policy.standard.longestCoolDown + Pipeline.patience

    @Test(arguments: Misbehaviour.all)
    func everyDeliveryEndsAsItsCategorySays(_ row: Misbehaviour) async throws {
        try await withPushMarkets { pipeline, markets in
            let system = pipeline.system
            try await meet(row, in: pipeline)
            try await markets.behave(#"{"path":"\#(row.provider.path)",\#(row.behaviour)}"#)
            try await publish(in: pipeline)

            for person in 0..<Self.neighbours {
                let ended = try await pipeline.byProvider(of: "beside-\(person)")
                #expect(ended == ["airship sent accepted", "inbox delivered delivered"])
            }
            try await allHaveBegun(with: row, in: pipeline)
            let healedAt = try await system.query("select tidings.clock()::text").rows[0].decode(String.self)
            if !row.passes { try await markets.behave(nil) }

            try await withoutPlace { try await expectAllEnd(row, in: pipeline) }
            try await expectFirstOutcomes(row, in: system)
            try await expectOffersEnd(row, in: system)
            try await expectNothingTwice(row, in: system, markets)
            try await pipeline.expectSound()
            try await report(row, healedAt: healedAt, in: system)
        }
    }

    /// Gives each person a device. The neighbours belong to a provider that keeps devices itself.
    private func meet(_ row: Misbehaviour, in pipeline: Pipeline) async throws {
        for person in 0..<Self.people {
            let digits = String(person + 0xA0, radix: 16)
            try await pipeline.register(
                "person-\(person)", String(repeating: digits, count: 40), platform: row.provider.platform, "--market", row.provider.market)
            #expect(
                try await pipeline.system.tidings("recipient", "set", "person-\(person)", "--market", row.provider.market).exitCode == 0)
        }
        for person in 0..<Self.neighbours {
            #expect(try await pipeline.system.tidings("recipient", "set", "neighbour-\(person)", "--market", "ca").exitCode == 0)
        }
    }

    private func publish(in pipeline: Pipeline) async throws {
        for person in 0..<Self.people {
            await pipeline.publish(event(id: "order-\(person)", to: "person-\(person)"))
            await pipeline.publish(event(id: "offer-\(person)", type: "promotion", to: "person-\(person)"), key: "marketing.promotion")
            if person < Self.neighbours { await pipeline.publish(event(id: "beside-\(person)", to: "neighbour-\(person)")) }
        }
    }

    /// Returns when each delivery of the provider was tried, or put off because the provider keeps failing.
    private func allHaveBegun(with row: Misbehaviour, in pipeline: Pipeline) async throws {
        let haveBegun = try await pipeline.system.eventually(
            within: Pipeline.patience,
            "select count(*) from tidings_ops.deliveries where provider = \(row.provider.rawValue) and state not in ('held', 'queued')"
        ) { $0 == 2 * Self.people }
        try #require(haveBegun, "\(pipeline.roles.errorsSoFar)")
    }

    /// Waits until the provider has everything. Most of the time is a pause of its circuit breaker.
    private func expectAllEnd(_ row: Misbehaviour, in pipeline: Pipeline) async throws {
        for person in 0..<Self.people {
            let order = try await pipeline.byProvider(of: "order-\(person)", within: Self.afterRepair)
            #expect(order.contains("\(row.provider.rawValue) sent accepted"), "\(order)")
            #expect(order.contains("inbox delivered delivered"))
            _ = try await pipeline.outcome(of: "offer-\(person)", within: Self.afterRepair)
        }
    }

    private func expectFirstOutcomes(_ row: Misbehaviour, in system: TestSystem) async throws {
        let outcomes = try await system.query(
            """
            select a.outcome || ' ' || a.reason_code, min(a.duration_ms)::bigint,
                (min(extract(epoch from d.finished_at - a.finished_at)) * 1000)::bigint
            from tidings_ops.attempts a join tidings_ops.deliveries d using (delivery_id)
            where a.provider = \(row.provider.rawValue) and a.attempt = 1 and a.outcome <> 'accepted' group by 1
            """
        ).rows.map { try $0.decode((String, Int, Int).self) }
        let said = try await system.query(
            "select distinct coalesce(error_text, '') from tidings_ops.attempts where provider = \(row.provider.rawValue) and outcome <> 'accepted'"
        ).rows.map { try $0.decode(String.self) }
        #expect(Set(outcomes.map(\.0)).subtracting(row.unsentOutcomes) == Set([row.firstOutcome].compactMap(\.self)), "\(said)")
        guard let (_, duration, wait) = outcomes.first(where: { $0.0 == row.firstOutcome }) else { return }
        // The clock follows the database's clock, and may be set back by some milliseconds meanwhile.
        #expect(row.leastDuration == 0 || duration >= row.leastDuration)
        #expect(Duration.milliseconds(wait) >= row.leastWait)
    }

    /// Checks that an offer that may have arrived has failed, and that every other offer was sent.
    private func expectOffersEnd(_ row: Misbehaviour, in system: TestSystem) async throws {
        let ends = try await system.query(
            """
            select distinct d.state || ' ' || d.reason_code,
                exists (select from tidings_ops.attempts a where a.delivery_id = d.delivery_id and a.outcome = 'unknown')
            from tidings_ops.deliveries d join tidings_ops.notifications n using (notification_id)
            where n.type = 'promotion' and d.provider = \(row.provider.rawValue)
            """
        ).rows.map { try $0.decode((String, Bool).self) }
        #expect(!ends.isEmpty)
        #expect(ends.allSatisfy { end, mayHaveArrived in end == (mayHaveArrived ? "failed outcomeUnknown" : "sent accepted") }, "\(ends)")
    }

    /// Checks that each push that the stand-in accepted more than once has its row. A push that cannot have arrived must not be recorded as
    /// a possible duplicate.
    private func expectNothingTwice(_ row: Misbehaviour, in system: TestSystem, _ markets: PushMarkets) async throws {
        let admitted = try await system.count(
            "select count(*) from tidings_ops.possible_duplicates where provider = \(row.provider.rawValue)")
        let accepted = try markets.acceptances(below: row.provider.path)
        #expect(accepted[""] == nil, "requests that send nothing")
        #expect(accepted.values.reduce(0) { $0 + $1 - 1 } <= admitted)
        // The count is zero if only offers got a stream.
        let mayHaveArrived = try await system.count(
            """
            select count(*) from tidings_ops.attempts a join tidings_ops.deliveries d using (delivery_id)
            join tidings_ops.notifications n on n.notification_id = d.notification_id
            where n.type = 'orderUpdate' and a.provider = \(row.provider.rawValue) and a.outcome = 'unknown'
            """)
        #expect(admitted == mayHaveArrived)
        #expect(row.leavesUnknown || admitted == 0)
        let sent = try await system.count(
            "select count(*) from tidings_ops.deliveries where provider = \(row.provider.rawValue) and state = 'sent'")
        #expect(accepted.count >= sent)
    }

    /// Prints a line of the table: the first outcome and its duration, the time until all had ended, and the time that other deliveries
    /// took.
    private func report(_ row: Misbehaviour, healedAt: String, in system: TestSystem) async throws {
        let figures = try await system.query(
            """
            select coalesce((select max(duration_ms) from tidings_ops.attempts where provider = \(row.provider.rawValue) and attempt = 1), 0)::bigint,
                (select greatest(0, extract(epoch from max(finished_at) - \(healedAt)::timestamptz) * 1000)::bigint
                    from tidings_ops.deliveries where provider = \(row.provider.rawValue)),
                (select (max(extract(epoch from finished_at - created_at)) * 1000)::bigint
                    from tidings_ops.deliveries where provider = 'airship')
            """
        ).rows[0].decode((Int, Int, Int).self)
        print(
            "| \(row.testDescription) | \(row.firstOutcome ?? "accepted") after \(figures.0) ms | all ended \(figures.1) ms after it was good"
                + " | others took \(figures.2) ms |")
    }
}
