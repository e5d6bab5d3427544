import Testing

@testable import TidingsCommands

/// The event ids in files of producers: what is an id, what is not, and what ends the reading.
@Suite struct EventRecordsTests {
    /// Reads the bytes in pieces of every size up to seven, and expects the same records each time.
    private static func read(
        _ bytes: [UInt8], as format: EventFormat, column: String = "event_id", tenant: String? = nil
    ) throws -> [EventRecords.Record] {
        func read(inPiecesOf size: Int) throws -> [EventRecords.Record] {
            var records = EventRecords(format, column: column, source: "/shop", tenant: tenant)
            var found: [EventRecords.Record] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                found += try records.add(bytes[start..<min(start + size, bytes.count)])
            }
            if let last = try records.end() { found.append(last) }
            return found
        }
        let whole = try read(inPiecesOf: max(1, bytes.count))
        for size in 1...7 { #expect(try read(inPiecesOf: size) == whole, "in pieces of \(size)") }
        return whole
    }

    private static func read(
        _ text: String, as format: EventFormat, column: String = "event_id", tenant: String? = nil
    ) throws -> [EventRecords.Record] {
        try read(Array(text.utf8), as: format, column: column, tenant: tenant)
    }

    private static func events(_ ids: String...) -> [EventRecords.Record] { ids.map { .event(id: $0, recipients: 1) } }

    @Test func aLineIsAnIDWithAllItsCharacters() throws {
        let text = "a-1\n b,2 \n\"c\"\r\n\nä€😀\n\t\n{\"id\":1}\nlast"
        #expect(try Self.read(text, as: .lines) == Self.events("a-1", " b,2 ", "\"c\"", "ä€😀", "\t", "{\"id\":1}", "last"))
        #expect(try Self.read("", as: .lines).isEmpty)
        #expect(try Self.read("\u{FEFF}a\n\u{FEFF}b\n", as: .lines) == Self.events("a", "\u{FEFF}b"), "a byte order mark begins the file")
    }

    /// An accepted event can have no such id, so the producer's file is wrong.
    @Test func aTextThatCannotBeAnIDIsNamedByItsRecord() throws {
        let long = String(repeating: "x", count: 256)
        let bytes = Array("ok\n\(long)\n\(long)y\na\u{0}b\n".utf8) + [0xFF, 0x0A] + Array("end".utf8)
        #expect(
            try Self.read(bytes, as: .lines) == [
                .event(id: "ok", recipients: 1), .event(id: long, recipients: 1),
                .invalid(record: 3, "has an id of 257 bytes; at most 256 are allowed"), .invalid(record: 4, "has an id with U+0000"),
                .invalid(record: 5, "is not UTF-8"), .event(id: "end", recipients: 1),
            ])
    }

    @Test func aLineWithoutAnEndTakesBoundedMemory() throws {
        let endless = [UInt8](repeating: UInt8(ascii: "x"), count: EventRecords.longestRecord + 100_000) + Array("\nb".utf8)
        var records = EventRecords(.lines, column: "", source: "/shop", tenant: nil)
        #expect(try records.add(endless) == [.invalid(record: 1, "is longer than \(EventRecords.longestRecord) bytes")])
        #expect(try records.end() == .event(id: "b", recipients: 1))
    }

    /// A producer's log has whole events, or ids alone.
    @Test func jsonLinesAreIDsOrEvents() throws {
        let text = #"""
            "a\nb"
            {"id":"c","source":"/shop","data":{"recipients":["x","y","x"]}}
            {"id":"d","source":"/other"}
            {"id":"e","data":{"tenant":"acme"}}
            {"id":17}
            {"specversion":"1.0"}
            not json
            """#
        let common: [EventRecords.Record] = [
            .event(id: "a\nb", recipients: 1), .event(id: "c", recipients: 2), .other,
        ]
        let wrong: [EventRecords.Record] = [
            .invalid(record: 5, "has no member id that is a string"), .invalid(record: 6, "has no member id that is a string"),
            .invalid(record: 7, "is not JSON"),
        ]
        #expect(try Self.read(text, as: .jsonl) == common + Self.events("e") + wrong)
        #expect(try Self.read(text, as: .jsonl, tenant: "acme") == common + Self.events("e") + wrong)
        #expect(try Self.read(text, as: .jsonl, tenant: "default") == common + [.other] + wrong)
    }

    @Test func aColumnOfACSVFileIsReadWithItsQuotes() throws {
        let text = "at,event_id,note\r\n1,a-1,x\r\n2,\"b,\"\"2\"\"\n3\",\"y\ny\"\r\n3\r\n4,,z\r\n5, c ,"
        #expect(
            try Self.read(text, as: .csv) == [
                .event(id: "a-1", recipients: 1), .event(id: "b,\"2\"\n3", recipients: 1), .invalid(record: 4, "has 1 columns"),
                .invalid(record: 5, "has an empty id"), .event(id: " c ", recipients: 1),
            ])
        #expect(try Self.read("\u{FEFF}id\nx\n", as: .csv, column: "id") == Self.events("x"))
    }

    /// The rest of the file would otherwise be left out without a word.
    @Test(arguments: [
        ("a,b\n1,2\n", 1, "the header has no column event_id, it has a, b"), ("event_id\n\"a\nb\n", 2, "a quote is never closed"),
        ("", 1, "the header of the columns is missing"),
    ])
    func aCSVFileThatCannotBeReadIsRefused(text: String, record: Int, why: String) throws {
        #expect(throws: EventRecords.Problem(record: record, text: why)) { try Self.read(text, as: .csv) }
    }

    @Test func aQuoteThatIsNeverClosedTakesBoundedMemory() throws {
        var records = EventRecords(.csv, column: "event_id", source: "/shop", tenant: nil)
        _ = try records.add(Array("event_id\n\"".utf8))
        #expect(throws: EventRecords.Problem.self) { try records.add([UInt8](repeating: 0x61, count: EventRecords.longestRecord + 1)) }
    }
}
