public import TidingsCore
import TidingsEncodings

/// The machine's time zone database: compiled zone files (TZif, RFC 9636) in a folder, as the package `tzdata` installs them.
///
/// A file is read when it is first needed, and its content is kept. A failure to read is kept as well. ``look()`` forgets zones whose files
/// have changed since. A copy of the value shares the zones that the original has read. Any thread may use it. Reading a file takes some 50
/// microseconds, an answer from memory about one.
public struct TimeZoneDatabase: Sendable {
    public let directory: String
    private let cache = ZoneCache()

    /// The folder in which Debian's package `tzdata` installs the zone files.
    public static let standardDirectory = "/usr/share/zoneinfo"

    /// - Parameter directory: the folder of the zone files. Nothing is read yet.
    public init(directory: String = TimeZoneDatabase.standardDirectory) {
        self.directory = directory
    }

    /// The longest span of one call. Rules about quiet hours and schedules look two years ahead at most.
    public static let maximumSpanSeconds: Int64 = 100 * 366 * 86_400

    /// Returns the offset at `from` and every change after it, up to and including `through`. Both are in seconds since 1970.
    ///
    /// After the last change that a file lists, its rule for the future applies, so any year can be asked for. Links such as `US/Eastern`
    /// are names like any other and keep the name given. Changes of only the abbreviation are left out.
    public func offsets(for name: String, from: Int64, through: Int64) throws(TimeZoneError) -> ZoneOffsets {
        guard through >= from, Self.instants.contains(from), Self.instants.contains(through), through - from <= Self.maximumSpanSeconds
        else {
            throw TimeZoneError.spanTooLong
        }
        do throws(TimeZoneError) {
            return try zone(name).offsets(name: name, from: from, through: through)
        } catch {
            cache.note(error, of: name)
            throw error
        }
    }

    /// The instants that ``offsets(for:from:through:)`` answers for, in seconds since 1970: the years 1 to 9999.
    public static let instants = ZoneFile.earliest + 1...ZoneFile.latest - 1

    /// Whether ``offsets(for:from:through:)`` has an answer for that name.
    public func isKnown(_ name: String) -> Bool {
        do throws(TimeZoneError) {
            _ = try zone(name)
            return true
        } catch {
            return false
        }
    }

    /// Returns the name under which a written time zone is stored. An offset of whole hours, such as `GMT+0200`, becomes the IANA zone of
    /// that offset, see ``FixedOffset``.
    ///
    /// Returns nil for any other text that is not the name of a known zone. Every door that takes a time zone reads it with this function.
    public func storedName(of written: String) -> String? {
        if isKnown(written) { return written }
        guard let name = FixedOffset.zoneName(written), isKnown(name) else { return nil }
        return name
    }

    private func zone(_ name: String) throws(TimeZoneError) -> ZoneFile {
        // A dictionary also finds a name that is only equivalent, such as one with U+212A KELVIN SIGN for a K. No name of a zone has such a
        // character.
        guard name.utf8.allSatisfy({ $0 < 0x80 }) else { throw TimeZoneError.unknown(name) }
        if let known = cache[name] { return try known.get() }
        guard ZoneName.isAcceptable(name) else { throw TimeZoneError.unknown(name) }
        let path = directory + "/" + name
        do throws(TimeZoneError) {
            guard let (bytes, stamp) = try FileStamp.read(path, zone: name) else { throw TimeZoneError.unknown(name) }
            let zone = try ZoneFile(bytes, zone: name)
            cache.keep(name, ZoneCache.Entry(zone: .success(zone), stamp: stamp))
            return zone
        } catch {
            cache.keep(name, ZoneCache.Entry(zone: .failure(error), stamp: nil))
            throw error
        }
    }
}

// MARK: - Changes

/// The state of the zone data, as ``TimeZoneDatabase/look()`` finds it.
public struct ZoneDataState: Sendable, Hashable {
    /// ``TimeZoneError/noData(directory:reason:)``; nil if the folder has zone data.
    public var problem: TimeZoneError?
    /// Whether files have changed since the last look. If so, they are read again from now on.
    public var hasChanged: Bool
    /// Zones that could not be read when asked for, sorted by name. Each is reported once in the life of the database.
    public var failures: [TimeZoneError]
}

extension TimeZoneDatabase {
    /// Throws ``TimeZoneError/noData(directory:reason:)`` unless the folder has zone data.
    ///
    /// The check reads a zone that every release has, and expects the winter and the summer time of a past year. A folder whose files all
    /// say UTC does not count as zone data.
    public func check() throws(TimeZoneError) {
        let reason: String
        do throws(TimeZoneError) {
            let year = try zone(Sentinel.name).offsets(name: Sentinel.name, from: Sentinel.january, through: Sentinel.july)
            if year.initialOffset == Sentinel.winterOffset, year.transitions.map(\.offset) == [Sentinel.summerOffset] { return }
            reason = "\(Sentinel.name) has no summer time"
        } catch {
            reason = "\(error)"
        }
        throw TimeZoneError.noData(directory: directory, reason: reason)
    }

    /// Forgets all zones read so far if the folder or one of their files has changed. Forgets failures in any case.
    ///
    /// One call costs one `stat` for the folder and for each zone read, at most 1,025. Call it every few seconds, not for each intent.
    public func look() -> ZoneDataState {
        let hasChanged = cache.forgetChanges(in: directory)
        var state = ZoneDataState(problem: nil, hasChanged: hasChanged, failures: cache.dequeueFailures())
        do throws(TimeZoneError) {
            try check()
        } catch {
            state.problem = error
        }
        return state
    }

    private enum Sentinel {
        static let name = "Europe/Berlin"
        /// 2024-01-15 and 2024-07-15, in seconds since 1970.
        static let (january, july): (Int64, Int64) = (1_705_276_800, 1_721_001_600)
        static let (winterOffset, summerOffset) = (3_600, 7_200)
    }
}

/// The error for a zone whose offsets are not available.
public enum TimeZoneError: Error, Sendable, Hashable {
    /// No zone has this name: it is misspelt, an abbreviation, or a file of the database that is no zone.
    case unknown(String)
    /// The file exists but cannot be read or understood, with the reason. The installation is at fault, not the name.
    case unreadable(zone: String, reason: String)
    /// The folder has no zone data at all, with the reason: the package `tzdata` is not installed.
    case noData(directory: String, reason: String)
    /// The span asked for is empty, longer than ``TimeZoneDatabase/maximumSpanSeconds``, or beyond the years 1 to 9999.
    case spanTooLong
}

extension TimeZoneError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unknown(let name): "\"\(name.prefix(ZoneName.longest))\" is no time zone; names look like America/New_York"
        case .unreadable(let zone, let reason): "the time zone file of \(zone) cannot be used: \(reason)"
        case .noData(let directory, let reason): "there is no zone data in \(directory): \(reason)"
        case .spanTooLong: "the span of time asked for is empty or too long"
        }
    }
}

/// The rules for zone names, checked before a file is opened.
enum ZoneName {
    /// The longest name in bytes. The database's own rule is 14 bytes a component and at most three components, so this leaves room.
    static let longest = 64

    /// Names in the folder that are files for the system and not zones.
    private static let refused: Set<String> = ["localtime", "posixrules", "Factory", "leapseconds", "posix", "right"]

    /// Whether a name has only letters, digits, `_`, `+` and `-` in components separated by `/`. There are no dots, so a name cannot leave
    /// the folder.
    ///
    /// The trees `posix/` and `right/` are refused. They repeat the database, the second with leap seconds, which UTC timestamps do not
    /// count.
    static func isAcceptable(_ name: String) -> Bool {
        guard 1...longest ~= name.utf8.count, !refused.contains(name), !name.hasPrefix("posix/"), !name.hasPrefix("right/") else {
            return false
        }
        return name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy { component in
            guard let first = component.first, ASCII.isLetter(first) else { return false }
            return component.allSatisfy { ASCII.isLetterOrDigit($0) || "_+-".utf8.contains($0) }
        }
    }
}
