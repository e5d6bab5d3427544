/// A block of addresses: `10.0.0.0/8`, `fc00::/7`.
public struct CIDR: Sendable, Hashable, CustomStringConvertible {
    public let first: IPAddress
    /// The number of leading bits that an address must share with ``first``.
    public let prefixLength: Int

    /// Reads `address/length`, or a single address. Returns nil unless the address has its canonical spelling, the length fits the family,
    /// and all bits after the prefix are zero. `10.0.0.1/8` is refused because it is more likely a mistake than an intention.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = IPAddress(String(parts[0])) else { return nil }
        let width = address.width
        var length = width
        if parts.count == 2 {
            guard parts[1].utf8.count <= 3, parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let given = Int(parts[1]),
                given <= width
            else { return nil }
            length = given
        }
        guard address.masked(to: length) == address else { return nil }
        first = address
        prefixLength = length
    }

    /// Every address of both families.
    public static let everything = [CIDR(first: .v4(0), prefixLength: 0), CIDR(first: .v6(high: 0, low: 0), prefixLength: 0)]

    private init(first: IPAddress, prefixLength: Int) {
        self.first = first
        self.prefixLength = prefixLength
    }

    /// Whether the block holds the address. A block of one family never holds an address of another family. Pass ``IPAddress/unmapped``
    /// addresses.
    public func contains(_ address: IPAddress) -> Bool {
        address.width == first.width && address.masked(to: prefixLength) == first
    }

    public var description: String { "\(first)/\(prefixLength)" }
}

extension IPAddress {
    fileprivate var width: Int {
        switch self {
        case .v4: 32
        case .v6: 128
        }
    }

    /// The address with every bit after the first `length` bits cleared. In Swift, a shift by the full width gives zero.
    fileprivate func masked(to length: Int) -> IPAddress {
        switch self {
        case .v4(let value): .v4(value & (UInt32.max << (32 - length)))
        case .v6(let high, let low):
            .v6(
                high: length >= 64 ? high : high & (UInt64.max << (64 - length)),
                low: length <= 64 ? 0 : low & (UInt64.max << (128 - length)))
        }
    }
}
