/// A sequence that depends on its seed alone: SplitMix64, which is small and good enough to choose inputs.
struct FuzzRandom: RandomNumberGenerator {
    private var state: UInt64

    /// The sequence for one input of a run. Each input is independent of the others, so it can be made again alone.
    init(seed: UInt64, number: UInt64) {
        state = seed
        // Neighbouring numbers must not give neighbouring sequences.
        state = next() ^ (number &* 0xD1B5_4A32_D192_ED03)
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, which must be above 0. The bias of the remainder does not matter here.
    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

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

    mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) } }
}
