import Glibc

/// An IPv4 or IPv6 address, as a number.
public enum IPAddress: Sendable, Hashable {
    case v4(UInt32)
    case v6(high: UInt64, low: UInt64)

    /// Reads only the canonical spellings: four decimal numbers, or RFC 4291 text without a zone. Returns nil for decimal, octal and
    /// hexadecimal spellings of IPv4 (`2130706433`, `0177.0.0.1`, `0x7f.1`), which some resolvers accept.
    public init?(_ text: String) {
        var bytes = [UInt8](repeating: 0, count: 16)
        if unsafe inet_pton(AF_INET, text, &bytes) == 1 {
            self = .v4(UInt32(truncatingIfNeeded: bytes[0..<4].bigEndianValue))
        } else if unsafe inet_pton(AF_INET6, text, &bytes) == 1 {
            self = .v6(high: bytes[0..<8].bigEndianValue, low: bytes[8..<16].bigEndianValue)
        } else {
            return nil
        }
    }

    /// Copies the address from a socket address of `length` bytes. Returns nil for other families and for a socket address that is too
    /// short.
    init?(socketAddress: UnsafeRawPointer, length: Int) {
        guard length >= MemoryLayout<sa_family_t>.size else { return nil }
        switch unsafe Int32(socketAddress.loadUnaligned(as: sa_family_t.self)) {
        case AF_INET where length >= MemoryLayout<sockaddr_in>.size:
            self = unsafe .v4(UInt32(bigEndian: socketAddress.loadUnaligned(as: sockaddr_in.self).sin_addr.s_addr))
        case AF_INET6 where length >= MemoryLayout<sockaddr_in6>.size:
            let halves = unsafe unsafeBitCast(socketAddress.loadUnaligned(as: sockaddr_in6.self).sin6_addr, to: (UInt64, UInt64).self)
            self = .v6(high: UInt64(bigEndian: halves.0), low: UInt64(bigEndian: halves.1))
        default: return nil
        }
    }

    /// The IPv4 address inside an IPv4-mapped IPv6 address (`::ffff:a.b.c.d`, RFC 4291), otherwise the address itself. The kernel connects
    /// both forms to the same place, so the guard must judge both alike.
    public var unmapped: IPAddress {
        guard case .v6(0, let low) = self, low >> 32 == 0xFFFF else { return self }
        return .v4(UInt32(truncatingIfNeeded: low))
    }
}

extension IPAddress: CustomStringConvertible {
    /// The text of `inet_ntop`.
    public var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        switch self {
        case .v4(let value):
            var address = in_addr(s_addr: value.bigEndian)
            unsafe inet_ntop(AF_INET, &address, &text, socklen_t(text.count))
        case .v6(let high, let low):
            var words = (high.bigEndian, low.bigEndian)
            unsafe inet_ntop(AF_INET6, &words, &text, socklen_t(text.count))
        }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

extension ArraySlice<UInt8> {
    fileprivate var bigEndianValue: UInt64 { reduce(0) { $0 << 8 | UInt64($1) } }
}
