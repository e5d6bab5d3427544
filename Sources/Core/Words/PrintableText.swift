extension Unicode.Scalar {
    /// Whether a person may see the character in a terminal or a log. Control characters may steer the terminal, and marks of direction
    /// reorder the text around them. Line breaks do not count as printable either.
    ///
    /// The two joiners are printable: emoji and several scripts need them, and they reorder nothing.
    package var isPrintable: Bool {
        if (0x20...0x7E).contains(value) { return true }
        if value == Self.zeroWidthNonJoiner || value == Self.zeroWidthJoiner { return true }
        return switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
        default: true
        }
    }

    private static let (zeroWidthNonJoiner, zeroWidthJoiner) = (UInt32(0x200C), UInt32(0x200D))
}

extension StringProtocol {
    /// The text for people, on one line: each character that is not printable becomes a space. Every output for people uses this one rule.
    /// Output for programs, such as JSON, keeps the text exactly.
    package var printable: String {
        if utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return String(self) }
        return String(String.UnicodeScalarView(unicodeScalars.map { $0.isPrintable ? $0 : " " }))
    }
}
