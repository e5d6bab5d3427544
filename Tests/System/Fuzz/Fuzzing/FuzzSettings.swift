import Glibc
import TidingsTestSupport

/// The length and the start of a run, from the environment. One input can so be made again.
enum FuzzSettings {
    /// The number of inputs of each target after its corpus. With the defaults, all targets together take some seconds in a debug build.
    static let inputs = number("TIDINGS_FUZZ_INPUTS")
    /// The seed that decides every input. A different seed gives a different run.
    static let seed = number("TIDINGS_FUZZ_SEED") ?? 0x7469_6469_6E67_7321
    /// The number of the first input. With the number of a failure and `TIDINGS_FUZZ_INPUTS=1`, only that input is made again.
    static let first = number("TIDINGS_FUZZ_FROM") ?? 0
    /// A folder in which each target keeps the number of its current input. The file stays when the process dies.
    static let stateFolder = text("TIDINGS_FUZZ_STATE")

    /// The most processor time for one input. A debug build takes up to half a second for the largest input. A hang or quadratic time takes
    /// longer.
    static let longestInput = Duration.seconds(2).patient
    /// The most resident memory that one target may add at any moment of its run. The largest inputs take a few megabytes.
    static let mostGrowthBytes = 256 << 20

    private static func number(_ name: String) -> UInt64? { text(name).flatMap { UInt64($0) } }

    private static func text(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
}
