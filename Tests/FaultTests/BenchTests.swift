import Foundation
import Testing
import TidingsTestSupport
import TidingsWire

extension Faults {
    /// The benchmark measures with servers, roles and a floor program of its own, and leaves nothing running.
    @Suite struct BenchTests {
        @Test func everyShapeIsMeasuredAndSound() async throws {
            try await withFolder { folder in
                let floor = "\(folder)/floor_full"
                // What a floor program is asked, and what it prints.
                try """
                #!/bin/sh
                echo "$1 $2 $F $PACK $M" >>"\(folder)/asked"
                [ -n "$AMQP_PORT" ] && [ -n "$PGCONN" ] && echo "$1 n=$2 wall=0.50s rate=1/s"
                """.write(toFile: floor, atomically: true, encoding: .utf8)
                try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: floor)
                let report = try await bench(
                    [
                        "--private", "--home", "\(folder)/bench", "--intents", "300", "--runs", "2", "--fan-out", "5", "--backlog", "200",
                        "--body", "2000", "--per-message", "7", "--processes", "each", "--floor", floor,
                        "--memory-graph", "\(folder)/memory.svg",
                    ], in: folder)
                #expect(report["confirmed"]?.intValue == 600)
                for name in ["lost", "duplicated", "unaccounted"] { #expect(report[name]?.intValue == 0, "\(name)") }
                #expect((report["intentsPerSecond"]?.doubleValue ?? 0) > 0)
                #expect((report["cpuMicrosPerIntent"]?.doubleValue ?? 0) > 0)
                #expect((report["databaseCpuMicrosPerIntent"]?.doubleValue ?? 0) > 0)
                #expect(report["latencyMilliseconds"]?["samples"]?.intValue == 6, "one in a hundred at full speed")
                #expect(report["memoryMegabytes"]?.arrayValue?.compactMap { $0["role"]?.stringValue } == ["deliver", "release", "router"])
                let ours = try #require(report["intentsPerSecond"]?.doubleValue)
                // 300 intents in half a second.
                #expect(abs((report["floorRatio"]?.doubleValue ?? 0) - ours / 600) < 0.01)
                let graph = try String(contentsOfFile: "\(folder)/memory.svg", encoding: .utf8)
                #expect(graph.hasPrefix("<svg") && ["router", "deliver", "release"].allSatisfy(graph.contains))
                let asked = try String(contentsOfFile: "\(folder)/asked", encoding: .utf8).split(separator: "\n").sorted()
                #expect(
                    asked == (["deliver 1500 5 50 446", "fill 300 5 50 446", "route 300 5 50 446"].flatMap { [$0, $0] }).map { $0[...] })
            }
        }

        private func bench(_ arguments: [String], in folder: String) async throws -> JSON {
            let process = try TestProcess(
                [TestSystem.binary, "bench", "-o", "json"] + arguments, environment: ProcessInfo.processInfo.environment)
            let result = await process.finish()
            try #require(result.exitCode == 0, "\(result.errors)")
            return try JSON.parse(result.output)
        }
    }
}
