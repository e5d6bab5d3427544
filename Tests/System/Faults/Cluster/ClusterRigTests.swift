import Foundation
import Testing
import TidingsTestSupport

extension WaitingFaults {
    /// The parts of `deploy/fault --cluster` that need no cluster.
    @Suite struct ClusterRigTests {
        @Test func aCutHasARuleForEachDirection() {
            #expect(
                NetworkCut.rules(between: "127.80.0.1", and: "127.80.0.2").map { $0.joined(separator: " ") }
                    == ["-s 127.80.0.1/32 -d 127.80.0.2/32 -j DROP", "-s 127.80.0.2/32 -d 127.80.0.1/32 -j DROP"])
        }

        @Test func aWillIsCarriedOutOnce() async throws {
            try await withFolder { folder in
                let will = try LastWill("echo done >>\(folder)/will")
                await will.carryOut()
                await will.carryOut()
                #expect(try String(contentsOfFile: "\(folder)/will", encoding: .utf8) == "done\n")
            }
        }

        @Test func problemsOfCommandsAreTakenFromTheirAnswers() {
            let problems = [#"{"code":"noConsumer","level":"error","words":"w"}"#, #"{"code":"paused","level":"note","words":"n"}"#]
            let status = #"{"level":"error","problems":[\#(problems.joined(separator: ","))]}"#
            #expect(HealthObserver.problems(in: status, exitCode: 1, errors: "") == ["noConsumer": "w"])
            let findings = [#"{"level":"warning","code":"brokerBlocks","detail":"d"}"#, #"{"check":"zones","level":"ok","code":null}"#]
            let doctor = "[\(findings.joined(separator: ","))]"
            #expect(HealthObserver.problems(in: doctor, exitCode: 0, errors: "") == ["brokerBlocks": "d"])
            #expect(HealthObserver.problems(in: "", exitCode: 69, errors: "no server\nhint") == ["exit 69": "no server"])
        }
    }
}
