import Glibc
import Synchronization
public import TidingsCore

/// The machine's time zone database: compiled zone files (TZif, RFC 9636) in a folder, as the package `tzdata` installs them.
///
/// Files are read when first asked for and kept; a new release of the database is seen after a restart. A copy shares what the
/// original has read. It may be used from any thread; reading a file takes some 50 microseconds, an answer from memory about one.
public struct TimeZoneDatabase: Sendable {
    private let directory: String
    private let cache = ZoneCache()

    /// - Parameter directory: where the zone files are; nothing is read yet.
    public init(directory: String = "/usr/share/zoneinfo") {
        self.directory = directory
    }

    /// The longest span one call answers for. Rules about quiet hours and schedules look two years ahead at most.
    public static let maximumSpanSeconds: Int64 = 100 * 366 * 86_400

    /// The offset at `from` and every change after it, up to and including `through`; seconds since 1970.
    ///
    /// Beyond the last change a file lists, its rule for the future goes on, so any year can be asked for. Links such as
    /// `US/Eastern` are names like any other and keep the name given. Changes of abbreviation alone are left out.
    public func offsets(for name: String, from: Int64, through: Int64) throws(TimeZoneError) -> ZoneOffsets {
        guard through >= from, from > ZoneFile.earliest, through < ZoneFile.latest, through - from <= Self.maximumSpanSeconds else {
            throw TimeZoneError.spanTooLong
        }
        return try zone(name).offsets(name: name, from: from, through: through)
    }

    /// Whether ``offsets(for:from:through:)`` has an answer for that name.
    public func isKnown(_ name: String) -> Bool {
        do throws(TimeZoneError) {
            _ = try zone(name)
            return true
        } catch {
            return false
        }
    }

    private func zone(_ name: String) throws(TimeZoneError) -> ZoneFile {
        if let known = cache[name] { return known }
        guard ZoneName.isAcceptable(name) else { throw TimeZoneError.unknown(name) }
        guard let bytes = try FileBytes.read(directory + "/" + name, zone: name) else { throw TimeZoneError.unknown(name) }
        let zone = try ZoneFile(bytes, zone: name)
        cache[name] = zone
        return zone
    }
}

/// Why a zone's offsets cannot be had.
public enum TimeZoneError: Error, Sendable, Hashable {
    /// No zone of that name: misspelt, an abbreviation, or a file of the database that is no zone.
    case unknown(String)
    /// The file is there but cannot be read or understood, with the reason: the installation is at fault, not the name.
    case unreadable(zone: String, reason: String)
    /// The span asked for is empty, longer than ``TimeZoneDatabase/maximumSpanSeconds``, or beyond the years 1 to 9999.
    case spanTooLong
}

extension TimeZoneError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unknown(let name): "\"\(name.prefix(ZoneName.longest))\" is no time zone; names look like America/New_York"
        case .unreadable(let zone, let reason): "the time zone file of \(zone) cannot be used: \(reason)"
        case .spanTooLong: "the span of time asked for is empty or too long"
        }
    }
}

/// The zones read so far.
private final class ZoneCache: Sendable {
    /// More than the database has names (about 600), so that it forgets nothing in practice and yet cannot grow without end.
    private static let maximumZones = 1_024

    private let zones = Mutex<[String: ZoneFile]>([:])

    subscript(_ name: String) -> ZoneFile? {
        get { zones.withLock { $0[name] } }
        set {
            zones.withLock {
                if $0.count >= Self.maximumZones { $0.removeAll() }
                $0[name] = newValue
            }
        }
    }
}

/// Names of zones, before any file is looked for.
enum ZoneName {
    /// The database's own rule is 14 bytes a component and at most three of them; this leaves room.
    static let longest = 64

    /// Names in the folder that are files for the system and not zones.
    private static let refused: Set<String> = ["localtime", "posixrules", "Factory", "leapseconds", "posix", "right"]

    /// Letters, digits, `_`, `+` and `-` in components separated by `/`: nothing that could leave the folder, no dots at all. The trees
    /// `posix/` and `right/` repeat the database, the second with leap seconds, which UTC timestamps do not count.
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

/// Reading one small file whole.
private enum FileBytes {
    /// The largest zone file of today has 4 kB.
    private static let maximumSize = 256 * 1_024

    /// nil when there is no such file, or it is a folder.
    static func read(_ path: String, zone: String) throws(TimeZoneError) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw TimeZoneError.unreadable(zone: zone, reason: String(cString: strerror(errno)))
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        guard status.st_size <= maximumSize else { throw TimeZoneError.unreadable(zone: zone, reason: "it is larger than any zone file") }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        var filled = 0
        while filled < bytes.count {
            let count = bytes.withUnsafeMutableBytes { buffer in
                let free = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
                return Glibc.read(descriptor, free.baseAddress, free.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw TimeZoneError.unreadable(zone: zone, reason: "it ends while being read") }
            filled += count
        }
        return bytes
    }
}
