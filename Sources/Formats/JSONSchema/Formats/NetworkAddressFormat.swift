import TidingsEncodings

/// Addresses of the Internet protocol in text.
enum NetworkAddressFormat {
    /// RFC 2673 section 3.2: four decimal octets, none with a leading zero.
    static func isIPv4(_ text: ArraySlice<UInt8>) -> Bool {
        let octets = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return octets.count == 4 && octets.allSatisfy { isOctet($0) }
    }

    private static func isOctet(_ text: ArraySlice<UInt8>) -> Bool {
        guard 1...3 ~= text.count, text.allSatisfy(ASCII.isDigit) else { return false }
        if text.count > 1, text.first == UInt8(ascii: "0") { return false }
        return text.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) } <= 255
    }

    /// RFC 4291 section 2.2: eight groups. One run of zeros may be left out, and the last two groups may be an IPv4 address.
    static func isIPv6(_ text: ArraySlice<UInt8>) -> Bool {
        let colon = UInt8(ascii: ":")
        // Refuse a longer text early. 45 bytes are the longest address: eight full groups, of which two are an IPv4 address.
        guard text.count <= 45 else { return false }
        let gap = zip(text.indices, text.indices.dropFirst()).first { text[$0] == colon && text[$1] == colon }
        guard let gap else { return groups(text, mayEndInIPv4: true) == 8 }
        let (head, tail) = (text[..<gap.0], text[(gap.1 + 1)...])
        guard let before = head.isEmpty ? 0 : groups(head, mayEndInIPv4: false),
            let after = tail.isEmpty ? 0 : groups(tail, mayEndInIPv4: true)
        else { return false }
        return before + after <= 7
    }

    /// Returns the number of 16-bit groups, or nil if one is malformed.
    private static func groups(_ text: ArraySlice<UInt8>, mayEndInIPv4: Bool) -> Int? {
        var parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        var count = 0
        if mayEndInIPv4, let last = parts.last, last.contains(UInt8(ascii: ".")) {
            guard isIPv4(last) else { return nil }
            parts.removeLast()
            count = 2
        }
        guard parts.allSatisfy({ 1...4 ~= $0.count && $0.allSatisfy(ASCII.isHexDigit) }) else { return nil }
        return count + parts.count
    }
}
