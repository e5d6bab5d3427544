/// Frames of AMQP 0-9-1 as a broker writes them.
enum FrameCorpus {
    static func short(_ value: Int) -> [UInt8] { [UInt8(value >> 8 & 255), UInt8(value & 255)] }
    static func long(_ value: Int) -> [UInt8] { short(value >> 16) + short(value & 0xFFFF) }
    static func longLong(_ value: Int) -> [UInt8] { long(value >> 32 & 0xFFFF_FFFF) + long(value & 0xFFFF_FFFF) }
    static func text(_ text: String) -> [UInt8] { [UInt8(text.utf8.count)] + text.utf8 }

    static func frame(_ type: UInt8, channel: Int = 1, _ payload: [UInt8]) -> [UInt8] {
        [type] + short(channel) + long(payload.count) + payload + [0xCE]
    }

    static func method(_ group: Int, _ number: Int, channel: Int = 1, _ arguments: [UInt8]) -> [UInt8] {
        frame(1, channel: channel, short(group) + short(number) + arguments)
    }

    static func body(_ text: String) -> [UInt8] { frame(3, Array(text.utf8)) }

    /// A header frame with a table of headers and no other property.
    static func header(_ table: [UInt8], bodyBytes: Int) -> [UInt8] {
        frame(2, short(60) + short(0) + longLong(bodyBytes) + short(1 << 13) + table)
    }

    /// A header frame with every property of the class.
    private static let fullHeader = frame(
        2,
        short(60) + short(0) + longLong(2) + short(0xFFFC) + text("application/json") + text("gzip") + tables[1] + [2, 9]
            + text("correlation")
            + text("reply") + text("60000") + text("message") + longLong(1_780_315_200) + text("type") + text("user") + text("app")
            + text(""))

    static let deliver = method(60, 60, text("tag") + longLong(7) + [1] + text("exchange") + text("transactional.orderUpdate"))

    /// The only bytes that are no frame: the name of the protocol and its version.
    static let greeting = Array("AMQP".utf8) + [0, 0, 9, 1]

    static let frames: [[UInt8]] = [
        deliver, fullHeader, body("{}"), header(tables[0], bodyBytes: 2), header(tables[0], bodyBytes: 0), frame(3, []),
        method(60, 71, longLong(8) + [0] + text("exchange") + text("key") + long(5)), method(60, 72, text("")),
        method(60, 50, short(312) + text("NO_ROUTE") + text("exchange") + text("key")), method(60, 80, longLong(3) + [1]),
        method(60, 120, longLong(3) + [0]), method(60, 21, text("tag")), method(60, 31, text("tag")), method(60, 30, text("tag") + [1]),
        method(20, 40, short(404) + text("NOT_FOUND") + short(60) + short(40)),
        method(10, 50, channel: 0, short(320) + text("CONNECTION_FORCED") + long(0)),
        method(10, 60, channel: 0, text("low on memory")), method(10, 61, channel: 0, []), frame(8, channel: 0, []),
        method(10, 10, channel: 0, [0, 9] + tables[1] + long(5) + Array("PLAIN".utf8) + long(5) + Array("en_US".utf8)),
        method(50, 11, text("queue") + long(1) + long(1)),
    ]

    static let conversations: [[UInt8]] =
        [
            deliver + fullHeader + body("{}"), deliver + header(tables[2], bodyBytes: 4) + body("{}") + body("{}"),
            frames[8] + header(tables[0], bodyBytes: 0) + frames[9], frames[6] + fullHeader + body("[]"),
            greeting,
            header(tables[0], bodyBytes: .max), deliver + header(tables[0], bodyBytes: 1) + body("too long"),
        ] + frames

    static let tables: [[UInt8]] = [
        long(0),
        counted(text("cloudEvents_id") + [UInt8(ascii: "S")] + long(1) + Array("a".utf8) + text("n") + [UInt8(ascii: "I")] + long(7)),
        counted(
            text("x-death") + [UInt8(ascii: "A")]
                + counted(
                    [UInt8(ascii: "F")]
                        + counted(text("count") + [UInt8(ascii: "l")] + longLong(3) + text("time") + [UInt8(ascii: "T")] + longLong(9)))),
        counted(
            text("d") + [UInt8(ascii: "D"), 255] + long(Int(UInt32.max)) + text("f") + [UInt8(ascii: "d")] + longLong(0x7FF8_0000_0000_0001)
        ),
        counted(text("x") + [UInt8(ascii: "x")] + long(3) + [0xFF, 0, 0xC0] + text("s") + [UInt8(ascii: "S")] + long(2) + [0xC0, 0x80]),
        nested(15), nested(16), nested(17), alikeTable,
    ]

    static func counted(_ content: [UInt8]) -> [UInt8] { long(content.count) + content }

    /// Tables nested `depth` levels deep.
    private static func nested(_ depth: Int) -> [UInt8] {
        let perLevel = 7
        var bytes: [UInt8] = []
        for level in 0..<depth { bytes += long((depth - level) * perLevel) + [1, UInt8(ascii: "a"), UInt8(ascii: "F")] }
        return bytes + long(0)
    }

    /// The deepest nesting that one frame can hold.
    static let deep = deliver + header(nested(18_000), bodyBytes: 0)
    /// The most equivalent names that one frame can hold.
    static let alike = deliver + header(alikeTable, bodyBytes: 0)
    private static let alikeTable = counted(Extremes.equivalentNames(5_000).flatMap { text($0) + [UInt8(ascii: "t"), 1] })

    static let words: [String] = [
        "F", "A", "S", "x", "D", "V", "\u{CE}", "\u{0}\u{0}\u{0}\u{0}", "\u{0}\u{0}\u{0}\u{5}", "\u{1}a", "\u{0}\u{3C}", "\u{0}\u{A}",
    ]
}
