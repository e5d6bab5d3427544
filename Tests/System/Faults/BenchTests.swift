import Foundation
import Testing
import TidingsJSON
import TidingsPostgres
import TidingsTestSupport

extension Faults {
    /// The benchmark runs with its own servers, roles and floor program, and leaves no process running.
    @Suite struct BenchTests {
        @Test func everyShapeIsMeasuredAndSound() async throws {
            try await withFolder { folder in
                let floor = "\(folder)/floor_full"
                // The floor program notes its arguments and prints a result.
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
                // The floor program reports 300 intents in half a second.
                #expect(abs((report["floorRatio"]?.doubleValue ?? 0) - ours / 600) < 0.01)
                let graph = try String(contentsOfFile: "\(folder)/memory.svg", encoding: .utf8)
                #expect(graph.hasPrefix("<svg") && ["router", "deliver", "release"].allSatisfy(graph.contains))
                let asked = try String(contentsOfFile: "\(folder)/asked", encoding: .utf8).split(separator: "\n").sorted()
                #expect(
                    asked == (["deliver 1500 5 50 446", "fill 300 5 50 446", "route 300 5 50 446"].flatMap { [$0, $0] }).map { $0[...] })
            }
        }

        /// The prefetch counts messages, so a router would grow with a backlog of large ones: 1,500 of these have 98 MB. Without the
        /// backlog, a router would grow with the packs that wait for the broker.
        @Test(arguments: [["--preload"], []]) func largeBodiesFillNoRole(_ pace: [String]) async throws {
            var bar = Bar()
            try await withFolder { folder in
                let report = try await bench(
                    [
                        "--private", "--home", "\(folder)/bench", "--intents", "2500", "--body", "65536", "--processes", "each",
                    ] + pace, in: folder)
                #expect(report["confirmed"]?.intValue == 2_500)
                for name in ["lost", "duplicated", "unaccounted"] { #expect(report[name]?.intValue == 0, "\(name)") }
                let peaks = report["memoryMegabytes"]?.arrayValue?.compactMap { $0["peak"]?.doubleValue } ?? []
                #expect(peaks.count == 3)
                bar.expect(peaks.allSatisfy { $0 <= 120 }, "the roles took \(peaks) MB, the bar is 120")
            }
            try bar.end()
        }

        /// Push goes through a real provider to devices made for the measurement. The same load without a network is measured beside it.
        @Test func pushIsMeasuredBesideTheSameWithoutANetwork() async throws {
            try await withFolder { folder in
                let capture = try TestProcess(
                    [TestSystem.binary, "capture", "--certificate", "\(folder)/capture.pem"],
                    environment: ProcessInfo.processInfo.environment)
                // The command prints a line for each protocol. The last word of a line is the address, with a slash at the end.
                let isListening = try await reached(within: .seconds(30)) { capture.outputSoFar.filter { $0 == "\n" }.count == 2 }
                try #require(isListening, "\(capture.errorsSoFar)")
                let address = try #require(capture.outputSoFar.split(whereSeparator: \.isWhitespace).last?.dropLast())
                let key = try await TestProcess(
                    ["/usr/bin/openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"], environment: [:]
                ).finish()
                try key.output.write(toFile: "\(folder)/key.p8", atomically: true, encoding: .utf8)
                try """
                types:
                  orderUpdate: {category: transactional}
                markets:
                  default: {push: [apns], inApp: [inbox]}
                providers:
                  inbox: {channel: inApp, kind: inbox}
                  apns:
                    channel: push
                    kind: apns
                    settings:
                      endpoint: "\(address)"
                      certificateAuthorities: "\(folder)/capture.pem"
                      key: "file:\(folder)/key.p8"
                      keyId: ABCDE12345
                      teamId: TEAM123456
                      topic: com.example.shop
                """.write(toFile: "\(folder)/push.yaml", atomically: true, encoding: .utf8)
                let report = try await bench(
                    ["--private", "--home", "\(folder)/bench", "--intents", "200", "--push", "\(folder)/push.yaml"], in: folder)
                capture.signal(SIGTERM)
                _ = await capture.finish()
                #expect(report["confirmed"]?.intValue == 200)
                for name in ["lost", "duplicated", "unaccounted", "unreached"] { #expect(report[name]?.intValue == 0, "\(name)") }
                let floor = try #require(report["floors"]?.arrayValue?.first)
                #expect(floor["program"] == "without a network" && (floor["ratio"]?.doubleValue ?? 0) > 0)
            }
        }

        /// Little of everything. Each notification is told by an event, and both doors take every intent.
        @Test func theAPIIsMeasuredBesideTheWorkBelowIt() async throws {
            try await withFolder { folder in
                let report = try await bench(
                    [
                        "--api", "--home", "\(folder)/bench", "--streams", "40", "--stored", "400", "--intents", "200", "--rate", "100",
                        "--seconds", "1",
                    ], in: folder)
                // 64 channels send one intent each before the measured ones.
                #expect(report["confirmed"]?.intValue == 400 + 200 + 64 + 200 + 200)
                for name in ["lost", "duplicated", "unaccounted", "untold", "toldTwice", "incompleteEvents", "endedStreams", "refused"] {
                    #expect(report[name]?.intValue == 0, "\(name)")
                }
                #expect(report["confirmToEventMilliseconds"]?["samples"]?.intValue == 200)
                for (part, below) in [("lists", "pgbenchPerSecond"), ("intents", "amqpPerSecond")] {
                    for figure in ["httpPerSecond", below, "ratio"] {
                        #expect((report[part]?[figure]?.doubleValue ?? 0) > 0, "\(part) \(figure)")
                    }
                }
                #expect((report["peakMegabytes"]?.doubleValue ?? 0) > 0)
            }
        }

        @Test func aMeasurementOfTheAPITakesNoOptionOfAnother() async throws {
            try await withTestSystem { system in
                let result = try await system.tidings("bench", "--api", "--preload")
                #expect(result.exitCode == 64 && result.errors.contains("--api excludes"), "\(result.errors)")
            }
        }

        @Test func theBenchmarkSaysThatNoRoleRunsInsteadOfWaiting() async throws {
            try await withTestSystem { system in
                let result = try await system.tidings("bench", "--intents", "1")
                #expect(result.exitCode == 69 && result.errors.contains("tidings run all"), "\(result.errors)")
            }
        }

        /// The roles run and do nothing, so that nothing ever ends.
        @Test func aMeasurementThatDoesNotEndIsGivenUp() async throws {
            try await withTestSystem { system in
                let roles = try await system.startRole("all")
                #expect(try await system.eventually("select count(*) from tidings_ops.workers") { $0 == 1 }, "\(roles.errorsSoFar)")
                roles.signal(SIGSTOP)
                let result = try await system.tidings("bench", "--intents", "10", "--timeout", "1")
                #expect(result.exitCode == 75 && result.errors.contains("not everything ended"), "\(result.exitCode) \(result.errors)")
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
