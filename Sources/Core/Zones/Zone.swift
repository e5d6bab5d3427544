/// The time zone stored for a person or a device, as found in the zone data of this machine.
///
/// A stored name may be unknown here. Either a newer release of the zone data has it, or the package is not installed, or a file is
/// damaged. No other zone replaces it, least of all UTC. Decisions that depend on local time wait.
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
