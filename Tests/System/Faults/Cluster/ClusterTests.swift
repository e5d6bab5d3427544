import Foundation
import PrivateServers
import Testing
import TidingsTestSupport

private let environment = ProcessInfo.processInfo.environment

extension Faults {
    /// Runs the schedules that `deploy/fault --cluster` asks for, one after the other, and prints its table. The short form runs always.
    @Suite struct ClusterTests {
        @Test(
            .enabled(if: environment["TIDINGS_FAULT_CLUSTER"] != nil, "deploy/fault runs them"),
            arguments: ClusterSchedule.chosen(by: environment["TIDINGS_FAULT_CLUSTER"] ?? ""))
        func holds(_ schedule: ClusterSchedule) async throws {
            let intents = environment["TIDINGS_FAULT_INTENTS"].flatMap { Int($0) } ?? 20_000
            try await holds(ClusterRun(schedule: schedule, intents: intents))
        }

        /// The load is small, because five servers share the cores with the roles, and the roles are built for tests.
        @Test func theShortFormHolds() async throws { try await holds(ClusterRun(schedule: .short, intents: 1_000, perSecond: 100)) }

        private func holds(_ run: ClusterRun) async throws {
            let report = try await run.run()
            print(report.line)
            try report.bar.end()
        }

        /// Prints the names and the head of the table, for `deploy/fault --cluster`.
        @Test func everyScheduleHasItsName() {
            let names = (ClusterSchedule.all + [.short]).map(\.name)
            #expect(Set(names).count == names.count)
            #expect(ClusterSchedule.chosen(by: "short,no-quorum").map(\.name) == ["no-quorum", "short"])
            if environment["TIDINGS_FAULT_LIST"] != nil {
                print((ClusterReport.heading + ClusterSchedule.all.map { "schedule \($0.name)" }).joined(separator: "\n"))
            }
        }

        /// The page names each schedule beside the sentence that the schedule tests.
        @Test func thePageNamesEachSchedule() throws {
            let page = try String(
                contentsOf: TestSystem.repository.appending(path: "Sources/Documentation.docc/Clusters.md"), encoding: .utf8)
            for name in ClusterSchedule.all.map(\.name) { #expect(page.contains("`\(name)`"), "Clusters.md does not name \(name)") }
        }

        @Test func stepsAreWordsOfTheTable() {
            let steps: [ClusterStep] = [.times(2, [.killLeader, .hold(seconds: 5), .load]), .cutOff(0), .admit, .heal]
            #expect(
                ClusterStep.words(steps) == "2 × (kill -9 of the leader of the urgent intake queue; 5 s); node 1 cut off; healed")
        }
    }
}
