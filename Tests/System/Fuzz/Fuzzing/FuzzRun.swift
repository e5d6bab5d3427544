import Glibc
import Testing

/// Many inputs for one target: the corpus first, then mutations.
struct FuzzRun<Target: FuzzTarget> {
    private let target: Target
    private let inputs: UInt64
    private var accepted = 0
    private var refused = 0
    private var slowest: (time: Duration, number: UInt64) = (.zero, 0)

    /// - Parameter inputs: the number of inputs after the corpus, unless the environment sets another number.
    init(_ target: Target, inputs: UInt64) {
        self.target = target
        self.inputs = FuzzSettings.inputs ?? inputs
    }

    /// Stops at the first input that breaks a property. Records that input together with the command that makes it again.
    mutating func run(sourceLocation: SourceLocation = #_sourceLocation) {
        let corpus = target.corpus
        let started = ContinuousClock.now
        let residentBefore = Self.residentBytes
        let state = FuzzState(target: Target.name)
        let first = FuzzSettings.first
        let end = first + inputs + (first == 0 ? UInt64(corpus.count) : 0)
        for number in first..<end {
            state?.note(number)
            let input = input(number, corpus)
            let began = Self.processorTime
            do {
                switch try target.feed(input) {
                case .accepted: accepted += 1
                case .refused: refused += 1
                }
                let time = Self.processorTime - began
                if time > slowest.time { slowest = (time, number) }
                try require(time <= FuzzSettings.longestInput, "took \(time)")
                if number % Self.inputsBetweenLooks == 0 { try requireMemory(residentBefore) }
            } catch {
                Issue.record("\(failure(error, number, input))", sourceLocation: sourceLocation)
                return
            }
        }
        state?.end()
        report(ContinuousClock.now - started)
    }

    /// The number of inputs between two measurements. Measuring the resident memory costs about as much as one input.
    private static var inputsBetweenLooks: UInt64 { 64 }

    private func input(_ number: UInt64, _ corpus: [Target.Input]) -> Target.Input {
        if number < corpus.count { return corpus[Int(number)] }
        var random = FuzzRandom(seed: FuzzSettings.seed, number: number)
        return target.input(&random)
    }

    private func requireMemory(_ before: Int) throws {
        let growth = Self.residentBytes - before
        try require(growth <= FuzzSettings.mostGrowthBytes, "the process has grown by \(growth >> 20) MiB")
    }

    private func failure(_ error: any Error, _ number: UInt64, _ input: Target.Input) -> String {
        let bytes = target.bytes(of: input)
        let shown = String(decoding: bytes.prefix(2_000), as: UTF8.self).unicodeScalars.map { $0.escaped(asASCII: true) }.joined()
        return """
            \(Target.name): input \(number): \(error)
            again: TIDINGS_FUZZ_SEED=\(FuzzSettings.seed) TIDINGS_FUZZ_FROM=\(number) TIDINGS_FUZZ_INPUTS=1 swift test --filter FuzzTests
            \(bytes.count) bytes: \(shown)
            """
    }

    /// Prints one line if the environment sets the number of inputs. `deploy/fuzz` makes a table of these lines.
    private func report(_ time: Duration) {
        guard FuzzSettings.inputs != nil else { return }
        let seconds = Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
        let slowestMilliseconds = Double((slowest.time / .microseconds(1)).rounded()) / 1_000
        let fields = [
            Target.name, "\(accepted + refused)", "\(accepted)", "\(refused)", "\((seconds * 10).rounded() / 10)",
            "\(slowestMilliseconds)", "\(slowest.number)",
        ]
        print("fuzzed\t" + fields.joined(separator: "\t"))
    }
}

extension FuzzRun {
    private static var processorTime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// The resident memory from `/proc/self/statm`, in bytes. 0 if the file does not exist.
    private static var residentBytes: Int {
        guard let file = fopen("/proc/self/statm", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 128)
        guard fgets(&line, Int32(line.count), file) != nil else { return 0 }
        let words = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self).split(separator: " ")
        return (words.count > 1 ? Int(words[1]) ?? 0 : 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
    }
}
