import ArgumentParser
import TidingsJSON
import TidingsServer

/// Checks everything that must be right for notifications to arrive.
struct DoctorCommand: TidingsCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check both servers, the schema, the catalogue, the topology, and whether all of it works. Exit 1 when one fails.",
        discussion: """
            ✓ is ok, · a note, ! a warning (somebody should look), ✗ an error (something does not work). Only an error makes it exit 1.
            Without TIDINGS_AMQP_URL the broker is not asked. The command then judges the releaser's last samples of the queues.
            With it, the command publishes two messages to the queue tidings.doctor, which keeps nothing, and awaits the confirms.
            """)
    @OptionGroup var output: OutputOptions

    mutating func run(in context: CommandContext) async throws {
        let settings = try Settings.read(needsBroker: false)
        var examination = Examination()
        examination.zoneData(settings)
        examination.proof(settings)
        await examination.database(settings, context)
        await examination.broker(settings)
        let findings = examination.findings + (examination.reading.map(Judgement.findings) ?? [])
        if output.format == .text {
            for finding in findings { Output.text(finding.text) }
        } else {
            Output.list(findings.map(\.doctorJSON), as: output.format, empty: "")
        }
        let failed = findings.count { $0.level == .error }
        if failed > 0 { throw Failure(.bad, "\(failed) failed") }
    }
}

extension Finding {
    /// `verdict` is `fail` only for an error. `level` distinguishes the other findings.
    fileprivate var doctorJSON: JSON {
        [
            "check": .string(check), "verdict": level == .error ? "fail" : "pass", "detail": .string(words), "level": .string(level.word),
            "code": code.map { .string($0.rawValue) } ?? .null, "what_to_do": .string(whatToDo),
        ]
    }
}
