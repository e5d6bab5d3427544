import Glibc

/// How long and from where a run goes; from the environment, so that one input can be made again.
enum FuzzSettings {
    /// Inputs of one target after its corpus. By default all targets together take some seconds of a debug build.
    static let inputs = number("TIDINGS_FUZZ_INPUTS")
    /// Decides every input. Another seed is another run.
    static let seed = number("TIDINGS_FUZZ_SEED") ?? 0x7469_6469_6E67_7321
    /// The first input's number: that of a failure, with `TIDINGS_FUZZ_INPUTS=1`, makes that input again and no other.
    static let first = number("TIDINGS_FUZZ_FROM") ?? 0
    /// A folder where each target keeps the number of the input it is at, which stays behind when the process dies.
    static let stateFolder = text("TIDINGS_FUZZ_STATE")

    /// Processor time of one input. A debug build takes up to half a second for the largest; a hang or a square takes longer.
    static let longestInput: Duration = .seconds(2)
    /// Resident memory that one target may add while it runs, at any moment. The largest inputs take a few megabytes.
    static let mostGrowthBytes = 256 << 20

    private static func number(_ name: String) -> UInt64? { text(name).flatMap { UInt64($0) } }

    private static func text(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
}
