import Glibc
import Testing
import TidingsTestSupport

@testable import PrivateServers

@Suite(.timeLimit(.minutes(Patience.scaled(1)))) struct ChildProcessTests {
    private let tools: ServerTools

    init() throws { tools = try ServerTools.find(in: .ofThisMachine()) }

    private func shell(_ script: String) -> ChildCommand {
        ChildCommand(
            executable: "/bin/sh",
            arguments: ["-c", script],
            environment: ["PATH": tools.path, "WORD": "two words"],
            wrappers: tools.wrappers
        )
    }

    private func run(_ command: ChildCommand, within limit: Duration = .seconds(30).patient) async throws -> ChildCommand.Output {
        try await OwnThread.run { () throws(PrivateServersError) in try command.run(within: limit) }
    }

    @Test("output, errors, status and environment are what the child made of them")
    func result() async throws {
        let output = try await run(shell("echo \"$WORD\"; echo \"[$USER$HOME]\"; pwd; echo oops >&2; exit 7"))
        #expect(output.status == 7)
        #expect(output.text == "two words\n[]\n/\n")
        #expect(output.errors == "oops\n")
    }

    @Test("a child that runs past its limit is killed")
    func limit() async throws {
        await #expect(throws: PrivateServersError.commandFailed(command: "sh", status: nil, output: "")) {
            try await run(shell("exec sleep 600"), within: .milliseconds(200))
        }
    }

    @Test("ending waits for the end, also of a stopped child and of one that will not listen")
    func ending() async throws {
        for (script, first, patience, status) in [
            ("exec sleep 600", SIGSTOP, Duration.seconds(20).patient, 128 + SIGTERM),
            ("trap '' TERM; exec sleep 600", SIGCONT, .milliseconds(200), 128 + SIGKILL),
        ] {
            let command = shell(script)
            let end = try await OwnThread.run { () throws(PrivateServersError) -> Int32? in
                let child = try ChildProcess.start(command, output: STDERR_FILENO, errors: STDERR_FILENO)
                _ = child.exit(within: .milliseconds(200).patient)  // gives the shell time to set its trap
                child.signal(first)
                child.end(with: SIGTERM, patience: patience)
                child.signal(SIGKILL)  // the child has ended, so no process gets the signal
                return child.exit(within: .zero)
            }
            #expect(end == status)
        }
    }

    @Test("the kernel is asked to signal the child when its owner dies")
    func ownerDies() async throws {
        let command = ChildCommand(
            executable: tools.wrappers.setpriv,
            arguments: ["--dump"],
            environment: ["PATH": tools.path],
            wrappers: tools.wrappers,
            signalWhenWeDie: .interrupt
        )
        #expect(try await run(command).text.contains("Parent death signal: INT\n"))
    }

    @Test("a child inherits no descriptors beyond the standard three, and no ignored signals")
    func inheritance() async throws {
        let leaked = dup(STDERR_FILENO)  // without O_CLOEXEC
        defer { close(leaked) }
        #expect(leaked > STDERR_FILENO)
        let lines = try await run(shell("ls /proc/$$/fd; grep SigIgn /proc/$$/status")).text.split(separator: "\n")
        #expect(!lines.contains("\(leaked)"))
        let ignored = try #require(lines.last.flatMap { UInt64($0.dropFirst("SigIgn:\t".count), radix: 16) })
        let realTime: UInt64 = 0xffff_ffff_8000_0000  // glibc uses the first of these and ignores them in every child
        #expect(ignored & ~realTime == 0)
    }
}
