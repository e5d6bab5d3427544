/// Writes header tables with every kind of field. The tables are well formed, except for a wrong length now and then (AMQP 0-9-1 section
/// 4.2.5 and RabbitMQ's errata).
struct TableEncoder {
    var random: FuzzRandom
    private var depth = 0

    init(random: FuzzRandom) { self.random = random }

    mutating func table() -> [UInt8] {
        var content: [UInt8] = []
        for _ in 0..<random.size(upTo: depth == 0 ? 12 : 4) {
            let name = Array(random.pick(Extremes.texts).utf8.prefix(random.oneIn(2) ? 8 : 255))
            content += [UInt8(name.count)] + name + field()
        }
        return counted(content)
    }

    private mutating func field() -> [UInt8] {
        depth += 1
        defer { depth -= 1 }
        let kind = random.pick(Array("tbBsuIilLfdDSxTVAFq".utf8))
        switch kind {
        case UInt8(ascii: "t"), UInt8(ascii: "b"), UInt8(ascii: "B"): return [kind] + random.bytes(1)
        case UInt8(ascii: "s"), UInt8(ascii: "u"): return [kind] + random.bytes(2)
        case UInt8(ascii: "I"), UInt8(ascii: "i"), UInt8(ascii: "f"): return [kind] + random.bytes(4)
        case UInt8(ascii: "D"): return [kind] + random.bytes(5)
        case UInt8(ascii: "S"), UInt8(ascii: "x"): return [kind] + counted(Array(random.pick(Extremes.texts).utf8.prefix(300)))
        case UInt8(ascii: "A") where depth < 24: return [kind] + array()
        case UInt8(ascii: "F") where depth < 24: return [kind] + table()
        case UInt8(ascii: "A"), UInt8(ascii: "F"), UInt8(ascii: "V"), UInt8(ascii: "q"): return [UInt8(ascii: "V")]
        default: return [kind] + random.bytes(8)
        }
    }

    private mutating func array() -> [UInt8] {
        var content: [UInt8] = []
        for _ in 0..<random.size(upTo: 4) { content += field() }
        return counted(content)
    }

    /// The content with its length in front. The length is wrong once in a while.
    private mutating func counted(_ content: [UInt8]) -> [UInt8] {
        FrameCorpus.long(random.oneIn(60) ? random.below(1 << 32) : content.count) + content
    }
}
