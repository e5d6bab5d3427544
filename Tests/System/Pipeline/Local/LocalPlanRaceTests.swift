import Testing
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

/// Concurrent changes of one plan, and a process that dies in the middle of a change.
@Suite struct LocalPlanRaceTests {
    /// Planning, cancelling, asking and confirming run at the same time. Versions only grow, and no version belongs to two plans. An app
    /// that followed the changes has the content of the whole plan.
    @Test func noChangeIsLost() async throws {
        try await withPipeline { pipeline in
            let app = try await pipeline.app(of: "ann", token: LocalApp.phone)
            let time = try await pipeline.time(in: 7_200)
            for number in 0..<40 { await pipeline.announce("n\(number)", "ann", at: time) }
            var apps = try await withThrowingTaskGroup(of: LocalApp?.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        var own = app
                        for _ in 0..<15 {
                            let before = own.version ?? 0
                            _ = try await own.sync()
                            #expect((own.version ?? 0) >= before)
                            try await own.ack()
                        }
                        return own
                    }
                }
                group.addTask {
                    for number in 0..<10 {
                        _ = try await pipeline.outcome(of: "n\(number)")
                        let id = try await pipeline.notificationID(of: "n\(number)")
                        #expect(try await pipeline.system.tidings("notification", "cancel", id).exitCode == 0)
                    }
                    return nil
                }
                return try await group.reduce(into: [LocalApp]()) { if let one = $1 { $0.append(one) } }
            }
            for number in 0..<40 { _ = try await pipeline.outcome(of: "n\(number)") }
            var fresh = app
            try await fresh.sync()
            #expect(fresh.pending.count == 30)
            for index in apps.indices {
                try await apps[index].refresh()
                #expect(Set(apps[index].pending.keys) == Set(fresh.pending.keys) && apps[index].version == fresh.version)
            }
            let states = try await pipeline.system.query(
                "select state, count(*) from tidings_ops.deliveries where channel = 'local' group by 1 order by 1"
            ).rows.map { row in
                let (state, count) = try row.decode((String, Int64).self)
                return "\(state) \(count)"
            }
            #expect(states == ["cancelled 10", "delivered 30"])
            await app.store.close()
            try await pipeline.expectSound()
        }
    }

    /// The plan is committed, but the message is not acknowledged. The redelivery changes nothing.
    @Test func aPackThatComesAgainPlansNothingTwice() async throws {
        try await withPipeline(variables: ["TIDINGS_FAULT_AT": "beforeAck"]) { pipeline in
            var app = try await pipeline.app(of: "ann", token: LocalApp.phone)
            await pipeline.announce("once", "ann")
            let died = try await eventually { !pipeline.roles.isRunning }
            #expect(died)
            #expect(try await pipeline.deliveries(of: "once") == [Ended("local", "sent", "accepted")])
            try await Pipeline.startRoles(of: pipeline.system)
            let isEmpty = try await pipeline.system.eventually(
                """
                select coalesce(max(ready), -1)::bigint from tidings.queue_samples where queue like 'tidings.deliver.local.%'
                    and sampled_at > (select max(started_at) from tidings.workers)
                """
            ) { $0 == 0 }
            #expect(isEmpty)
            #expect(try await pipeline.deliveries(of: "once") == [Ended("local", "sent", "accepted")])
            try await app.refresh()
            #expect(app.pending.count == 1)
            #expect(try await pipeline.deliveries(of: "once") == [Ended("local", "delivered", "delivered")])
            #expect(try await pipeline.system.count("select count(*) from tidings_ops.unaccounted") == 0)
            await app.store.close()
        }
    }
}
