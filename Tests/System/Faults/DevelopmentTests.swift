import Foundation
import Glibc
import Testing
import TidingsTestSupport

extension WaitingFaults {
    /// `tidings dev` leaves no process behind and keeps its data, whenever and however it is asked to stop.
    @Suite struct DevelopmentTests {
        @Test(arguments: [SIGINT, SIGTERM]) func aCommandThatIsStoppedWhileItStartsLeavesNoProcess(signal: Int32) async throws {
            try await withFolder { folder in
                let home = "\(folder)/home"
                let process = try start(home)
                let isStarting = try await reached(within: .seconds(60)) { try !processes(of: home).isEmpty }
                try #require(isStarting, "no server was started: \(process.errorsSoFar)")
                try await stops(process, signal, home)
                #expect(!process.errorsSoFar.contains("ready: "))
            }
        }

        /// A script may wait for the file, and a shell that has read it works after the next start too.
        @Test func aSecondStartKeepsDataAndAddresses() async throws {
            try await withFolder { folder in
                let home = "\(folder)/home"
                var process = try await startReady(home)
                let first = try environment(of: home)
                let password = try #require(first["PGPASSWORD"])
                #expect(first["TIDINGS_API_URL"] != nil)
                #expect(!process.errorsSoFar.contains(password), "a log that everybody may read must not make them a superuser")
                #expect(process.errorsSoFar.contains("\(home)/env"), "it says where the servers are named")
                let sent = try await tidings(
                    home, "send", "orderUpdate", "--to", "ann", "--title", "T", "--id", "kept", "--wait", "--timeout=\(Patience.scaled(30))"
                )
                #expect(sent.exitCode == 0, "\(sent.errors)")
                try await stops(process, SIGINT, home)

                process = try start(home)
                let isWritten = try await reached(within: .seconds(60), every: .milliseconds(5)) {
                    FileManager.default.fileExists(atPath: "\(home)/env") || !process.isRunning
                }
                try #require(isWritten && process.isRunning, "\(process.errorsSoFar)")
                #expect(try environment(of: home) == first, "the file has every address from its first moment, and the same ones")
                let told = try await tidings(home, "why", "kept")
                #expect(told.exitCode == 0, "\(told.errors)")
                #expect(told.output.contains("delivered"))
                try await stops(process, SIGTERM, home)
            }
        }

        @Test func aServerThatDiesIsTold() async throws {
            try await withFolder { folder in
                let home = "\(folder)/home"
                let process = try await startReady(home)
                let number = try String(contentsOfFile: "\(home)/postgresql/data/postmaster.pid", encoding: .utf8).split(separator: "\n")[0]
                kill(try #require(Int32(number)), SIGQUIT)
                let result = await process.finish()
                #expect(result.exitCode == 69)
                #expect(result.errors.contains("PostgreSQL ended by itself"), "\(result.errors)")
                #expect(try processes(of: home) == [], "something stayed behind")
            }
        }

        private func start(_ home: String) throws -> TestProcess {
            try TestProcess([TestSystem.binary, "dev", "--home", home], environment: ["PATH": path])
        }

        private func startReady(_ home: String) async throws -> TestProcess {
            let process = try start(home)
            let isReady = try await process.says("ready: ", within: .seconds(60))
            try #require(isReady && process.isRunning, "tidings dev is not ready: \(process.errorsSoFar)")
            return process
        }

        private func stops(_ process: TestProcess, _ signal: Int32, _ home: String) async throws {
            process.signal(signal)
            let result = await process.finish()
            #expect(result.exitCode == 0, "\(result.errors)")
            #expect(try processes(of: home) == [], "something stayed behind")
            #expect(!FileManager.default.fileExists(atPath: "\(home)/env"))
        }

        /// Runs a command that finds the servers as a user's command does, by the file that `tidings dev` writes.
        private func tidings(_ home: String, _ arguments: String...) async throws -> TestProcess.Result {
            try await TestProcess([TestSystem.binary] + arguments, environment: environment(of: home)).finish()
        }

        private func environment(of home: String) throws -> [String: String] {
            var environment = ["PATH": path]
            for line in try String(contentsOfFile: "\(home)/env", encoding: .utf8).split(separator: "\n") {
                let parts = line.split(separator: "=", maxSplits: 1).map(String.init)
                environment[parts[0]] = parts[1]
            }
            return environment
        }

        private var path: String { ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin" }

        /// The command lines of the servers' processes, which carry their home in the environment.
        private func processes(of home: String) throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { Int($0) != nil }.compactMap { number in
                // The process may have ended meanwhile.
                guard let environment = FileManager.default.contents(atPath: "/proc/\(number)/environ"),
                    String(decoding: environment, as: UTF8.self).contains("TIDINGS_SERVERS_HOME=\(home)\0"),
                    let command = FileManager.default.contents(atPath: "/proc/\(number)/cmdline")
                else { return nil }
                return String(decoding: command, as: UTF8.self)
            }
        }
    }
}
