import PrivateServers
import Testing
import TidingsPostgres
import TidingsTestSupport

extension WaitingFaults {
    /// An alarm of the broker blocks publishers for hours. A command for people ends all the same, and says why.
    @Suite struct BlockedBrokerTests {
        @Test func commandsThatPublishEndAndNameTheAlarm() async throws {
            try await withFaultyServers { servers, system, _ in
                _ = try await system.startRole("router")
                let refused = try await system.tidings("send", "noSuchType", "--to", "ann", "--title", "T", "--id", "refused", "--no-check")
                #expect(refused.exitCode == 0, "\(refused.errors)")
                #expect(try await system.eventually("select count(*) from tidings_ops.rejected where state = 'open'") { $0 == 1 })
                let row = String(try await system.count("select max(rejected_id) from tidings_ops.rejected"))

                try await servers.raisesAlarm("memory", by: ["set_vm_memory_high_watermark", "0.0001"])
                async let replay = system.tidings("rejected", "replay", row)
                let sent = try await system.tidings(
                    "send", "orderUpdate", "--to", "ann", "--title", "T", "--id", "late", "--wait", "--timeout=\(Patience.scaled(3))")
                #expect(sent.exitCode == 75 && sent.output.isEmpty, "\(sent.exitCode) \(sent.errors)")
                for said in ["low on memory", "--id late"] { #expect(sent.errors.contains(said), "\(sent.errors)") }
                let replayed = try await replay
                #expect(replayed.exitCode == 75 && replayed.errors.contains("low on memory"), "\(replayed.exitCode) \(replayed.errors)")

                // The first event may arrive now. The second has the same id, so that both are one.
                try await servers.rabbitmqctl(["set_vm_memory_high_watermark", "0.4"])
                let again = try await system.tidings(
                    "send", "orderUpdate", "--to", "ann", "--title", "T", "--id", "late", "--wait", "--timeout=\(Patience.scaled(30))")
                #expect(again.exitCode == 0, "\(again.errors)")
                #expect(try await system.count("select count(*) from tidings_ops.notifications where event_id = 'late'") == 1)
            }
        }

        /// A backlog that raised the alarm can only drain if routers run. A start asks the broker whether the database is an old primary.
        @Test func aRouterStartsDuringAnAlarm() async throws {
            try await withFaultyServers { servers, system, _ in
                _ = try await system.startRole("router")
                try await servers.raisesAlarm("memory", by: ["set_vm_memory_high_watermark", "0.0001"])
                let second = try system.start("run", "router")
                let runs = try await system.eventually(
                    within: .seconds(60), "select count(*) from tidings_ops.workers where pid = \(Int(second.processID))"
                ) { $0 == 1 }
                #expect(runs, "\(second.errorsSoFar)")
                try await servers.rabbitmqctl(["set_vm_memory_high_watermark", "0.4"])
            }
        }
    }
}
