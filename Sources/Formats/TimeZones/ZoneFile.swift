import TidingsCore

/// One compiled zone: RFC 9636, version 2 or later, the 64-bit data and the footer. Version 1 data, which ends in 2038, is skipped.
struct ZoneFile: Sendable {
    /// The offset before the first change.
    private let firstOffset: Int
    /// Real changes of offset, ascending.
    private let changes: [ZoneOffsets.Transition]
    /// The rule after the last change listed. Nil when the file gives no rule: then the last offset stays.
    private let future: ZoneRule?
    /// The instant from which the rule holds.
    private let futureStart: Int64

    /// 0001-01-01 and 10000-01-01. No wall clock shows a time outside of these.
    static let earliest: Int64 = -62_135_596_800
    static let latest: Int64 = 253_402_300_800

    init(_ bytes: [UInt8], zone: String) throws(TimeZoneError) {
        var reader = ZoneFileReader(bytes: bytes, zone: zone)
        let old = try reader.header()
        guard old.version >= UInt8(ascii: "2") else { throw reader.failure("it has only the old 32-bit data") }
        try reader.skip(old.dataLength(timeLength: 4))
        let header = try reader.header()
        let data = try reader.data(header)
        let footer = try reader.footer()
        firstOffset = data.firstOffset
        var offset = data.firstOffset
        changes = data.changes.filter { change in
            defer { offset = change.offset }
            return change.offset != offset
        }
        futureStart = data.changes.last?.at ?? .min
        future = try footer.isEmpty ? nil : ZoneRule(footer, zone: zone)
    }

    /// Returns the offset at `from` and the changes in `from + 1 ... through`.
    func offsets(name: String, from: Int64, through: Int64) -> ZoneOffsets {
        let first = firstChange(after: from)
        var offset = first == 0 ? firstOffset : changes[first - 1].offset
        var found: [ZoneOffsets.Transition] = []
        for change in changes[first...] {
            guard change.at <= through else { break }
            found.append(change)
        }
        if let future, through > futureStart {
            if from >= futureStart { offset = future.offset(at: from) }
            var last = found.last?.offset ?? offset
            for change in future.changes(after: max(from, futureStart), through: through) where change.offset != last {
                found.append(change)
                last = change.offset
            }
        }
        return ZoneOffsets(name: name, initialOffset: offset, transitions: found)
    }

    private func firstChange(after instant: Int64) -> Int {
        var (low, high) = (0, changes.count)
        while low < high {
            let middle = (low + high) / 2
            if changes[middle].at <= instant { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// Reads the parts of a zone file. Bytes that do not fit end in ``TimeZoneError/unreadable(zone:reason:)``.
private struct ZoneFileReader {
    let bytes: [UInt8]
    let zone: String
    private var index = 0

    init(bytes: [UInt8], zone: String) {
        self.bytes = bytes
        self.zone = zone
    }

    struct Header {
        var version: UInt8
        var utcIndicators, standardIndicators, leapSeconds, times, types, characters: Int

        /// The length of the data block by section 3.2, for times of four or eight bytes.
        func dataLength(timeLength: Int) -> Int {
            times * (timeLength + 1) + types * 6 + characters + leapSeconds * (timeLength + 4) + standardIndicators + utcIndicators
        }
    }

    func failure(_ reason: String) -> TimeZoneError { .unreadable(zone: zone, reason: reason) }

    mutating func skip(_ count: Int) throws(TimeZoneError) {
        guard bytes.count - index >= count else { throw failure("it is cut short") }
        index += count
    }

    /// Reads the header of section 3.1. A file that does not begin with the magic is no zone at all.
    mutating func header() throws(TimeZoneError) -> Header {
        guard bytes.dropFirst(index).starts(with: "TZif".utf8) else { throw .unknown(zone) }
        let start = index
        try skip(44)
        func count(_ number: Int) -> Int { Int(integer(at: start + 20 + number * 4, length: 4)) }
        return Header(
            version: bytes[start + 4], utcIndicators: count(0), standardIndicators: count(1), leapSeconds: count(2), times: count(3),
            types: count(4), characters: count(5))
    }

    /// Reads the data block of section 3.2.
    mutating func data(_ header: Header) throws(TimeZoneError) -> (firstOffset: Int, changes: [ZoneOffsets.Transition]) {
        let times = index
        let kinds = times + header.times * 8
        let types = kinds + header.times
        try skip(header.dataLength(timeLength: 8))
        guard header.types > 0, header.leapSeconds == 0 else { throw failure("it has no local time, or counts leap seconds") }
        let offsets = (0..<header.types).map { Int(Int32(truncatingIfNeeded: integer(at: types + $0 * 6, length: 4))) }
        var changes: [ZoneOffsets.Transition] = []
        changes.reserveCapacity(header.times)
        for number in 0..<header.times {
            let kind = Int(bytes[kinds + number])
            guard kind < offsets.count else { throw failure("a change names a local time that is not there") }
            let instant = Int64(bitPattern: integer(at: times + number * 8, length: 8))
            if let last = changes.last, last.at >= instant { throw failure("its changes are out of order") }
            changes.append(ZoneOffsets.Transition(at: instant, offset: offsets[kind]))
        }
        return (offsets[0], changes)
    }

    /// Reads the footer of section 3.3: a line of its own with the rule for later years.
    mutating func footer() throws(TimeZoneError) -> [UInt8] {
        let rest = bytes[index...]
        guard rest.first == 0x0A, let end = rest.dropFirst().firstIndex(of: 0x0A) else { throw failure("its footer is missing") }
        return Array(rest[(rest.startIndex + 1)..<end])
    }

    /// Reads a big-endian number. The caller must make sure that the bytes are there.
    private func integer(at start: Int, length: Int) -> UInt64 {
        bytes[start..<(start + length)].reduce(0) { $0 << 8 | UInt64($1) }
    }
}
