import Foundation
import Glibc
import Testing
import TidingsTestSupport

/// The output of a process as a signal.
@Suite(.timeLimit(.minutes(Patience.scaled(1)))) struct TestProcessTests {
    private static func shell(_ script: String, _ environment: [String: String] = [:]) throws -> TestProcess {
        try TestProcess(["/bin/sh", "-c", script], environment: ["PATH": "/usr/bin:/bin"].merging(environment) { $1 })
    }

    /// The shell waits for a file of the test. Whatever comes first, the wait or the line, the line is seen.
    @Test(arguments: ["echo late", "echo late >&2", "printf la; printf te"])
    func aLineThatComesLaterIsSeen(_ print: String) async throws {
        let flag = FileManager.default.temporaryDirectory.appendingPathComponent("tidings-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: flag) }
        let process = try Self.shell("while [ ! -e \"$FLAG\" ]; do :; done; \(print); exec sleep 600", ["FLAG": flag.path])
        defer { process.signal(SIGKILL) }
        let isSeen = Task { try await process.says("late") }
        try Data().write(to: flag)
        #expect(try await isSeen.valueUnlessCancelled())
        #expect(try await process.says(/la.e/), "a line that is there already is seen too")
    }

    @Test func everyWaitForOneProcessIsWoken() async throws {
        let process = try Self.shell("echo one; echo two; echo three; exec sleep 600")
        defer { process.signal(SIGKILL) }
        let waits = ["one", "two", "three"].map { word in Task { try await process.says(word) } }
        for wait in waits { #expect(try await wait.valueUnlessCancelled()) }
    }

    @Test func theEndOfAProcessEndsTheWait() async throws {
        let process = try Self.shell("echo something else")
        #expect(try await !process.says("a word that never comes"))
        #expect(!process.isRunning)
        #expect(try await process.prints { $0 == "something else\n" }, "the output of an ended process can be asked for")
    }

    @Test func theDeadlineEndsTheWait() async throws {
        let process = try Self.shell("exec sleep 600")
        defer { process.signal(SIGKILL) }
        #expect(try await !process.says("a word that never comes", within: .milliseconds(50)))
        #expect(process.isRunning)
    }

    @Test func aCancelledWaitEnds() async throws {
        let process = try Self.shell("exec sleep 600")
        defer { process.signal(SIGKILL) }
        let wait = Task { try await process.says("a word that never comes", within: .seconds(600)) }
        wait.cancel()
        await #expect(throws: CancellationError.self) { try await wait.valueUnlessCancelled() }
    }

    /// Runs in a process of its own, because the limit holds for the whole process.
    @Test func aKernelThatWatchesNoFileIsNamed() async {
        await #expect(processExitsWith: .success) {
            let process = try Self.shell("exec sleep 600")
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
            var limit = rlimit()
            getrlimit(resource, &limit)
            let usual = limit.rlim_cur
            limit.rlim_cur = 0
            setrlimit(resource, &limit)
            let error = await #expect(throws: TestSystemError.self) { try await process.says("a word that never comes") }
            limit.rlim_cur = usual
            setrlimit(resource, &limit)
            process.signal(SIGKILL)
            _ = await process.finish()
            #expect(error?.description.contains("fs.inotify.max_user_instances") == true)
        }
    }
}
