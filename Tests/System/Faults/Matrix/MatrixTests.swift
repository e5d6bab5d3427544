import Foundation
import Testing
import TidingsPipeline
import TidingsStore
import TidingsTestSupport

/// Runs the rows that `deploy/fault` asks for, one after the other, and prints its table.
private let environment = ProcessInfo.processInfo.environment
private let intents = environment["TIDINGS_FAULT_INTENTS"].flatMap { Int($0) } ?? 20_000

extension Faults {
    @Suite struct MatrixTests {
        @Test(
            .enabled(if: environment["TIDINGS_FAULT_ROWS"] != nil, "deploy/fault runs them"),
            arguments: FaultRow.chosen(by: environment["TIDINGS_FAULT_ROWS"] ?? ""))
        func holds(_ row: FaultRow) async throws {
            try await holds(row, intents: intents)
        }

        /// Prints the rows that can run and the head of the table, for `deploy/fault`.
        @Test func everyNumberIsOneRow() {
            let numbers = FaultRow.all.map(\.number)
            #expect(Set(numbers).count == numbers.count)
            #expect(FaultRow.chosen(by: "39").count == FaultRow.steps.count)
            if environment["TIDINGS_FAULT_LIST"] != nil {
                print((FaultReport.heading + numbers.map { "row \($0)" }).joined(separator: "\n"))
            }
        }

        /// The row takes little time, and no other test covers it.
        @Test(arguments: FaultRow.chosen(by: "22"))
        func holdsWithFewIntents(_ row: FaultRow) async throws {
            try await holds(row, intents: 3 * FaultLoad.perSecond)
        }

        /// Three roles die at the same time, twice in a row, each between two steps, while an operator cancels. This is the quick one of
        /// the many rows that `deploy/fault` runs.
        @Test func threeRolesDieTwiceBetweenTwoSteps() async throws {
            let row = FaultRow(
                number: "39", fault: "death between two steps", injected: "", crew: ["router", "deliver", "release"], load: .bursts,
                cancels: true,
                hurries: true, bound: .admitted,
                inject: { scene in
                    async let routed: Void = scene.crew.dies(at: .afterRoute)
                    async let sent: Void = scene.crew.dies(at: .afterSend)
                    async let released: Void = scene.crew.dies(at: .beforeRelease)
                    _ = try await (routed, sent, released)
                })
            try await holds(row, intents: 2 * FaultLoad.perSecond)
        }

        private func holds(_ row: FaultRow, intents: Int) async throws {
            let report = try await FaultRun(row: row, intents: intents).run()
            print(report.line)
            try report.bar.end()
        }
    }
}
