import TidingsTestSupport

/// The random choices of one input. The seed of the run and the number of the input decide all of them.
struct FuzzRandom: RandomNumberGenerator {
    private var sequence: SplitMix64

    /// The sequence for one input of a run. Each input is independent of the others, so it can be made again alone.
    init(seed: UInt64, number: UInt64) {
        var first = SplitMix64(state: seed)
        // Neighbouring numbers must not give neighbouring sequences.
        sequence = SplitMix64(state: first.next() ^ (number &* 0xD1B5_4A32_D192_ED03))
    }

    mutating func next() -> UInt64 { sequence.next() }

    /// A number below `bound`, which must be above 0.
    mutating func below(_ bound: Int) -> Int { sequence.below(bound) }

    /// True once in `times`.
    mutating func oneIn(_ times: Int) -> Bool { below(times) == 0 }

    /// A number of at most `most`. Small numbers are more frequent than large ones.
    mutating func size(upTo most: Int) -> Int {
        let bits = below(max(1, Int.bitWidth - most.leadingZeroBitCount) + 1)
        return min(most, below(1 << bits))
    }

    mutating func pick<Elements: RandomAccessCollection>(_ elements: Elements) -> Elements.Element where Elements.Index == Int {
        elements[elements.startIndex + below(elements.count)]
    }

    mutating func bytes(_ count: Int) -> [UInt8] { sequence.bytes(count) }
}
