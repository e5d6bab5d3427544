/// Changes bytes without regard to their meaning: flips, splices, cuts, extreme numbers, invalid UTF-8.
struct ByteMutator {
    let corpus: [[UInt8]]
    /// Words of the format, inserted anywhere.
    let words: [[UInt8]]
    /// The longest mutated input. Larger inputs come from the corpus only.
    static let longest = 64 << 10

    init(corpus: [[UInt8]], words: [String]) {
        self.corpus = corpus
        self.words = words.map { Array($0.utf8) } + Self.anywhere
    }

    /// A corpus entry after one to six changes. Few changes are more frequent.
    func mutated(_ random: inout FuzzRandom) -> [UInt8] {
        var bytes = random.pick(corpus)
        for _ in 0...random.size(upTo: 5) { change(&bytes, &random) }
        return bytes.count > Self.longest ? Array(bytes.prefix(Self.longest)) : bytes
    }

    func change(_ bytes: inout [UInt8], _ random: inout FuzzRandom) {
        guard !bytes.isEmpty else { return bytes = random.pick(words) }
        let place = random.below(bytes.count)
        let range = place..<min(bytes.count, place + 1 + random.size(upTo: 64))
        switch random.below(13) {
        case 0: bytes[place] ^= 1 << UInt8(random.below(8))
        case 1: bytes[place] = random.pick(Self.telling)
        case 2, 3: bytes.insert(contentsOf: random.pick(words), at: place)
        case 4: bytes.replaceSubrange(range, with: random.pick(words))
        case 5: bytes.removeSubrange(range)
        case 6: for _ in 0...random.size(upTo: 20) { bytes.insert(contentsOf: bytes[range], at: place) }
        case 7: bytes.removeSubrange(place...)
        case 8: splice(&bytes, at: place, &random)
        case 9: replaceNumber(in: &bytes, from: place, &random)
        case 10: nest(&bytes, at: place, &random)
        case 11: swap(&bytes, range, &random)
        default: replaceText(in: &bytes, from: place, &random)
        }
    }

    private func splice(_ bytes: inout [UInt8], at place: Int, _ random: inout FuzzRandom) {
        let other = random.pick(corpus)
        guard !other.isEmpty else { return }
        let start = random.below(other.count)
        bytes.replaceSubrange(place..., with: other[start...])
    }

    /// Replaces the next run of digits by an extreme number.
    private func replaceNumber(in bytes: inout [UInt8], from place: Int, _ random: inout FuzzRandom) {
        guard let start = bytes[place...].firstIndex(where: Self.isDigit) else { return }
        let end = bytes[start...].firstIndex { !Self.isDigit($0) } ?? bytes.endIndex
        bytes.replaceSubrange(start..<end, with: random.pick(Extremes.numbers).utf8)
    }

    /// Replaces the next text in double quotes.
    private func replaceText(in bytes: inout [UInt8], from place: Int, _ random: inout FuzzRandom) {
        let quote = UInt8(ascii: "\"")
        guard let start = bytes[place...].firstIndex(of: quote),
            let end = bytes[(start + 1)...].firstIndex(of: quote)
        else { return }
        bytes.replaceSubrange((start + 1)..<end, with: random.pick(Extremes.escapes).utf8)
    }

    private func nest(_ bytes: inout [UInt8], at place: Int, _ random: inout FuzzRandom) {
        let (opening, closing) = random.pick([("[", "]"), ("{\"a\":", "}"), ("- ", ""), ("(", ")"), ("{", "}"), ("[", "")])
        let levels = random.size(upTo: 2_000)
        bytes.insert(contentsOf: repeatElement(Array(closing.utf8), count: levels).joined(), at: place)
        bytes.insert(contentsOf: repeatElement(Array(opening.utf8), count: levels).joined(), at: place)
    }

    private func swap(_ bytes: inout [UInt8], _ range: Range<Int>, _ random: inout FuzzRandom) {
        let moved = Array(bytes[range])
        bytes.removeSubrange(range)
        bytes.insert(contentsOf: moved, at: random.below(bytes.count + 1))
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") <= 9 }

    /// Bytes with a meaning for some reader.
    private static let telling: [UInt8] =
        Array("\"\\{}[]:,.-+0e \t\r\n#?&*%@/=;<>'~".utf8) + [0, 1, 0x1B, 0x7F, 0x80, 0xC0, 0xED, 0xFE, 0xFF]

    /// Invalid UTF-8, and valid UTF-8 that readers often get wrong.
    private static let anywhere: [[UInt8]] = [
        [0], [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82], [0xEF, 0xBB, 0xBF], [0x0D, 0x0A], [0x0D],
        [0xCC, 0x81], [0xE2, 0x84, 0xAA], [0xE2, 0x80, 0xA8], [0xC2, 0x85], [0xF0, 0x9F, 0x98, 0x80], [0xFF, 0xFF, 0xFF, 0xFF],
        [0x7F, 0xFF, 0xFF, 0xFF], [0x80, 0, 0, 0],
    ]
}
