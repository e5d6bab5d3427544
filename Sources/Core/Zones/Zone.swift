/// The time zone stored for a person or a device, as the zone data of this machine knows it.
///
/// A stored name may be unknown here: a newer release of the zone data has it, the package is not installed, or a file is damaged. No other
/// zone stands in for it, least of all UTC: what depends on local time waits.
public enum Zone: Sendable, Hashable {
    case known(ZoneOffsets)
    /// The stored name.
    case unknown(String)

    /// Coordinated universal time, which needs no zone data.
    public static let utc = Zone.known(.utc)

    /// The IANA name as it is stored.
    public var name: String {
        switch self {
        case .known(let offsets): offsets.name
        case .unknown(let name): name
        }
    }
}
