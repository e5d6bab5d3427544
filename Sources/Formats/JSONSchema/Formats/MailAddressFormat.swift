import TidingsEncodings

/// Mail addresses in the form of a Mailbox (RFC 5321 section 4.1.2), in ASCII.
enum MailAddressFormat {
    /// RFC 5321 section 4.5.3.1.
    private static let longestLocalPart = 64
    private static let longestDomain = 255
    /// RFC 1035 section 2.3.4.
    private static let longestLabel = 63

    static func isAddress(_ text: ArraySlice<UInt8>) -> Bool {
        // Search the last sign: a quoted local part may contain one, a domain never does.
        guard let at = text.lastIndex(of: UInt8(ascii: "@")) else { return false }
        return isLocalPart(text[..<at]) && isDomain(text[(at + 1)...])
    }

    private static func isLocalPart(_ text: ArraySlice<UInt8>) -> Bool {
        guard 1...longestLocalPart ~= text.count else { return false }
        if text.first == UInt8(ascii: "\"") { return isQuoted(text) }
        let atoms = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return atoms.allSatisfy { !$0.isEmpty && $0.allSatisfy(isAtomCharacter) }
    }

    private static func isAtomCharacter(_ byte: UInt8) -> Bool {
        ASCII.isLetterOrDigit(byte) || "!#$%&'*+-/=?^_`{|}~".utf8.contains(byte)
    }

    private static func isQuoted(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.count >= 2, text.last == UInt8(ascii: "\"") else { return false }
        var isEscaped = false
        for byte in text.dropFirst().dropLast() {
            guard 0x20...0x7E ~= byte else { return false }
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                return false
            }
        }
        return !isEscaped
    }

    private static func isDomain(_ text: ArraySlice<UInt8>) -> Bool {
        guard 1...longestDomain ~= text.count else { return false }
        if text.first == UInt8(ascii: "["), text.last == UInt8(ascii: "]") {
            let literal = text.dropFirst().dropLast()
            let tag = Array("IPv6:".utf8)
            return literal.starts(with: tag)
                ? NetworkAddressFormat.isIPv6(literal.dropFirst(tag.count)) : NetworkAddressFormat.isIPv4(literal)
        }
        let hyphen = UInt8(ascii: "-")
        return text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { label in
            1...longestLabel ~= label.count && label.first != hyphen && label.last != hyphen
                && label.allSatisfy { ASCII.isLetterOrDigit($0) || $0 == hyphen }
        }
    }
}
