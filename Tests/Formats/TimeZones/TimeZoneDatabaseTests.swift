import Glibc
import Testing
import TidingsCore

@testable import TidingsTimeZones

@Suite struct TimeZoneDatabaseTests {
    private let database = TimeZoneDatabase()

    /// Every change of offset equals the one that the system's `zdump` prints. The years lie near today, within the file's list, and so far
    /// ahead that only the zone's rule reaches them.
    @Test(arguments: [
        "America/New_York", "America/Sao_Paulo", "Australia/Lord_Howe", "Asia/Kathmandu", "Pacific/Chatham", "Africa/Casablanca",
        "Europe/Dublin",
        "Asia/Tehran", "America/Asuncion", "Africa/Cairo", "Pacific/Apia", "UTC", "America/Nuuk", "Asia/Gaza", "Antarctica/Troll",
        "America/Scoresbysund",
        "US/Eastern", "Etc/GMT+5", "Europe/London", "Africa/Monrovia",
    ])
    func everyChangeIsTheOneZdumpShows(_ zone: String) throws {
        for years in [2010...2030, 2026...2028, 2036...2040, 2080...2100, 1880...1975] {
            let from = try startOfYear(years.lowerBound)
            let through = try startOfYear(years.upperBound) - 1
            let offsets = try database.offsets(for: zone, from: from, through: through)
            let shown = try Zdump.changes(of: zone, years: years)
            #expect(offsets.transitions == shown.changes, "\(zone) \(years)")
            if let before = shown.offsetBefore { #expect(offsets.initialOffset == before, "\(zone) \(years)") }
        }
    }

    @Test func everyNameOfTheDatabaseAgreesWithZdump() throws {
        let (from, through) = try (startOfYear(2024), startOfYear(2044) - 1)
        let names = try Zdump.names()
        #expect(names.count > 400)
        for name in names {
            let offsets = try database.offsets(for: name, from: from, through: through)
            #expect(offsets.transitions == (try Zdump.changes(of: name, years: 2024...2044)).changes, "\(name)")
        }
    }

    @Test func theOffsetAtTheStartIsTheOneThatHoldsThere() throws {
        let summer = try database.offsets(for: "America/New_York", from: 1_783_000_000, through: 1_783_000_000)
        #expect(summer.initialOffset == -4 * 3_600)
        #expect(summer.transitions == [])
        let change: Int64 = 1_793_512_800  // 2026-11-01T06:00:00Z
        #expect(
            try database.offsets(for: "America/New_York", from: change - 1, through: change).transitions == [
                .init(at: change, offset: -18_000)
            ])
        #expect(
            try database.offsets(for: "America/New_York", from: change, through: change + 1)
                == ZoneOffsets(name: "America/New_York", initialOffset: -18_000))
        let far = try database.offsets(for: "Australia/Sydney", from: 95_617_584_000, through: 95_617_584_000)
        #expect(far.initialOffset == 11 * 3_600, "January of the year 5000 is summer in Sydney")
    }

    @Test(arguments: [
        "", "Nope/Nope", "America", "America/", "/America/New_York", "../zoneinfo/UTC", "America/../UTC", "America//New_York", "./UTC",
        "localtime", "posixrules",
        "Factory", "posix/UTC", "right/UTC", "posix", "zone.tab", "tzdata.zi", "leapseconds", "leap-seconds.list", "america/new_york",
        "UTC\u{0}", "UTC ", " UTC", "PST",
        "UTC\n", "Zürich", "+05:00", "America/New_York/x",
    ])
    func aNameThatIsNoZoneIsRefused(_ name: String) {
        #expect(!database.isKnown(name))
        #expect(throws: TimeZoneError.unknown(name)) { try database.offsets(for: name, from: 0, through: 1) }
    }

    /// Swift calls a K and U+212A KELVIN SIGN equal. The cache has the zone when the second name is asked for.
    @Test func anEquivalentNameIsNoZone() {
        #expect(database.isKnown("Asia/Kolkata") && "Asia/\u{212A}olkata" == "Asia/Kolkata")
        #expect(!database.isKnown("Asia/\u{212A}olkata") && database.storedName(of: "Asia/\u{212A}olkata") == nil)
    }

    @Test func aVeryLongNameIsRefusedAndNotRepeated() {
        let name = String(repeating: "A", count: 100_000)
        #expect(!database.isKnown(name))
        #expect(TimeZoneError.unknown(name).description.utf8.count < 200)
    }

    @Test(arguments: [(1, 0), (Int64.min, 0), (0, Int64.max), (0, 5_000_000_000)] as [(Int64, Int64)])
    func unreasonableSpansAreRefused(_ from: Int64, _ through: Int64) {
        #expect(throws: TimeZoneError.spanTooLong) { try database.offsets(for: "UTC", from: from, through: through) }
    }

    @Test func aDamagedFileIsToldAndNeverCrashes() throws {
        let whole = try #require(Zdump.file("/usr/share/zoneinfo/America/New_York"))
        for length in stride(from: 0, to: whole.count - 1, by: 7) {
            #expect(throws: TimeZoneError.self) { try ZoneFile(Array(whole[..<length]), zone: "x") }
        }
        for place in whole.indices {
            var damaged = whole
            damaged[place] ^= 0xFF
            if let zone = try? ZoneFile(damaged, zone: "x") { _ = zone.offsets(name: "x", from: 0, through: 4_000_000_000) }
        }
    }

    @Test(arguments: [
        "EST", "EST5EDT", "EST5EDT,M3.2.0", "EST5EDT,M13.2.0,M11.1.0", "EST5EDT,M3.6.0,M11.1.0", "E5", "EST5EDT,M3.2.0,M11.1.0x", "<+01-1",
        "EST999",
    ])
    func malformedRulesAreRefused(_ text: String) {
        #expect(throws: TimeZoneError.self) { try ZoneRule(Array(text.utf8), zone: "x") }
    }

    @Test func rulesOfEveryKindAreFollowed() throws {
        func changes(_ text: String) throws -> [ZoneOffsets.Transition] {
            // The leap year 2028.
            try ZoneRule(Array(text.utf8), zone: "x").changes(after: 1_830_297_599, through: 1_861_919_999)
        }
        #expect(try changes("AAA0BBB,J60/0,J300/0").map(\.at) == [1_835_481_600, 1_856_214_000])
        #expect(try changes("AAA0BBB,59/0,300/0").map(\.at) == [1_835_395_200, 1_856_214_000])
        #expect(try changes("AAA3").isEmpty)
        let always = try ZoneRule(Array("EST5EDT,0/0,J365/25".utf8), zone: "x")
        for instant: Int64 in [1_830_316_500, 1_835_481_600, 1_861_920_000] { #expect(always.offset(at: instant) == -4 * 3_600) }
    }
}

/// Midnight of 1 January, UTC, in seconds since 1970.
private func startOfYear(_ year: Int) throws -> Int64 {
    try #require(CivilDate(validYear: year, month: 1, day: 1)).daysSinceEpoch * 86_400
}

/// Reads the zone database with the system's `zdump`.
enum Zdump {
    /// The changes of offset within the years, and the offset before the first change. The year of the upper bound is excluded.
    static func changes(of zone: String, years: ClosedRange<Int>) throws -> (offsetBefore: Int?, changes: [ZoneOffsets.Transition]) {
        let text = try output(["/usr/bin/zdump", "-v", "-c", "\(years.lowerBound),\(years.upperBound)", "/usr/share/zoneinfo/\(zone)"])
        let (low, high) = try (startOfYear(years.lowerBound), startOfYear(years.upperBound))
        var before: Int?
        var last: Int?
        var changes: [ZoneOffsets.Transition] = []
        for line in text.split(separator: "\n") {
            // name  Sun Mar  8 06:59:59 2026 UT = Sun Mar  8 01:59:59 2026 EST isdst=0 gmtoff=-18000
            let words = line.split(separator: " ")
            guard words.count >= 16, words[6] == "UT", let offset = words.last.flatMap({ Int($0.dropFirst("gmtoff=".count)) }) else {
                continue
            }
            let at = try seconds(words[2], words[3], words[4], words[5])
            guard at >= low, at < high else { continue }
            if before == nil { before = offset }
            if let known = last, known != offset { changes.append(.init(at: at, offset: offset)) }
            last = offset
        }
        return (before, changes)
    }

    private static func seconds(_ month: Substring, _ day: Substring, _ time: Substring, _ year: Substring) throws -> Int64 {
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let clock = time.split(separator: ":").compactMap { Int($0) }
        let number = try #require(months.firstIndex(of: String(month))) + 1
        let date = try #require(CivilDate(validYear: Int(year) ?? 0, month: number, day: Int(day) ?? 0))
        return date.daysSinceEpoch * 86_400 + Int64(clock[0] * 3_600 + clock[1] * 60 + clock[2])
    }

    /// The zones and links that the database's own source lists.
    static func names() throws -> [String] {
        let source = String(decoding: try #require(file("/usr/share/zoneinfo/tzdata.zi")), as: UTF8.self)
        return source.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ").map(String.init)
            let name = words.first == "Z" ? words[1] : words.first == "L" ? words[2] : nil
            return name == "Factory" ? nil : name
        }
    }

    static func file(_ path: String) -> [UInt8]? {
        guard let file = fopen(path, "rb") else { return nil }
        defer { fclose(file) }
        return contents(of: file)
    }

    private static func output(_ words: [String]) throws -> String {
        let pipe = try #require(popen(words.joined(separator: " "), "r"))
        let bytes = contents(of: pipe)
        #expect(pclose(pipe) == 0, "zdump failed for \(words.last ?? "")")
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func contents(of file: UnsafeMutablePointer<FILE>) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&chunk, 1, chunk.count, file), count > 0 { bytes += chunk[..<count] }
        return bytes
    }
}
