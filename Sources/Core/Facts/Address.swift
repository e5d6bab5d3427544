/// A kind of place, beside devices, where a person can be reached. Its raw value is that of the channel whose messages go there.
public enum AddressKind: String, CaseIterable, Sendable, Hashable {
    case email, sms, webhook
}

/// An address of a person in the two forms in which it is stored: as it was written, and canonical.
///
/// Two texts are one address of a kind if their canonical forms are equal. So a backend that sends its list again adds nothing, and a
/// message does not come twice because somebody wrote the address in another way.
public struct Address: Sendable, Hashable {
    /// The longest address, in bytes: a URL. Common receivers and proxies refuse longer URLs.
    public static let longest = 2_048
    /// The longest text beside an address, in bytes: its source, or the reason why it is suppressed.
    public static let longestText = 200
    /// The longest e-mail address, in bytes: a path of RFC 5321 (4.5.3.1.3) without its angle brackets.
    private static let longestEmail = 254
    /// The longest part of an e-mail address before its `@`, in bytes (RFC 5321, 4.5.3.1.1).
    private static let longestMailbox = 64
    /// The digits of a telephone number with the code of its country. The upper limit is that of ITU-T E.164.
    private static let phoneDigits = 7...15

    public let kind: AddressKind
    /// The address as it was written, without the white space at both ends.
    public let value: String
    /// The canonical form: an e-mail address in lower case, a telephone number as `+` and its digits (E.164), a URL with its scheme and its
    /// host in lower case.
    public let identity: String

    /// Takes the text without the white space at both ends, which comes from files and from copying.
    ///
    /// - An e-mail address is ASCII, without quotes and comments. A domain in another script is written as in the DNS, with `xn--`.
    /// - A telephone number begins with `+`. Spaces and `-.()` between the digits have no meaning.
    /// - The URL of a webhook is only judged by its characters. The caller asks the providers whether they would call it.
    public init(_ kind: AddressKind, _ written: String) throws(Fault) {
        let text = DeviceToken.trimmed(written)
        guard (1...Self.longest).contains(text.utf8.count), text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw Fault("an address has 1 to \(Self.longest) bytes, all of them printable ASCII")
        }
        self.kind = kind
        value = text
        identity = try Self.identity(of: text, kind)
    }

    private static func identity(of text: String, _ kind: AddressKind) throws(Fault) -> String {
        switch kind {
        case .email: return try identity(ofEmail: text)
        case .sms: return try identity(ofPhone: text)
        case .webhook:
            guard !text.contains(" ") else { throw Fault("a URL has no space") }
            return identity(ofWebhook: text)
        }
    }

    /// The canonical form of the URL of a webhook. Any text has one.
    public static func identity(ofWebhook url: String) -> String {
        guard let colon = url.firstIndex(of: ":"), url[colon...].hasPrefix("://") else { return url }
        let host = url[url.index(colon, offsetBy: 3)...].prefix { !"/?#".contains($0) }
        return url[..<host.endIndex].lowercased() + url[host.endIndex...]
    }

    /// The reason why a text is no address of its kind. The reason holds nothing of the text.
    public struct Fault: Error, Sendable, Hashable, CustomStringConvertible {
        /// A sentence without its full stop, such as “an e-mail address has one @”.
        public let description: String

        fileprivate init(_ description: String) { self.description = description }
    }
}

// MARK: - E-mail

extension Address {
    private static func identity(ofEmail text: String) throws(Fault) -> String {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2 else { throw Fault("an e-mail address has one @") }
        guard text.utf8.count <= longestEmail else { throw Fault("an e-mail address has at most \(longestEmail) bytes") }
        guard isMailbox(parts[0]) else {
            throw Fault("before its @, an e-mail address has 1 to \(longestMailbox) letters, digits or marks, without spaces and quotes")
        }
        guard isDomain(parts[1]) else { throw Fault("after its @, an e-mail address has a domain, such as example.com") }
        return text.lowercased()
    }

    /// Whether the text is a dot-atom of RFC 5322 (3.2.3). A quoted name is refused: hardly any mailbox has one, and it may have spaces.
    private static func isMailbox(_ text: Substring) -> Bool {
        let atoms = text.split(separator: ".", omittingEmptySubsequences: false)
        return text.utf8.count <= longestMailbox && atoms.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(isAtomText) }
    }

    private static func isAtomText(_ byte: UInt8) -> Bool {
        isLetter(byte) || isDigit(byte) || "!#$%&'*+-/=?^_`{|}~".utf8.contains(byte)
    }

    /// Whether the text is a name of the DNS with two labels or more. An address of IP is no domain, so the last label is no number.
    private static func isDomain(_ text: Substring) -> Bool {
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        return labels.count > 1 && labels.allSatisfy(isLabel) && !labels[labels.count - 1].utf8.allSatisfy(isDigit)
    }

    private static func isLabel(_ text: Substring) -> Bool {
        (1...63).contains(text.utf8.count) && text.first != "-" && text.last != "-"
            && text.utf8.allSatisfy { isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "-") }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}

// MARK: - Telephone

extension Address {
    private static func identity(ofPhone text: String) throws(Fault) -> String {
        guard text.first == "+", text.utf8.dropFirst().allSatisfy({ isDigit($0) || " -.()".utf8.contains($0) }) else {
            throw Fault("a telephone number begins with + and the code of its country, such as +1 415 555 0123, and has no letters")
        }
        // In +44 (0)20, the zero is dialled within the country only. With it the number would be another one.
        let isNational = text.filter { $0 != " " }.contains("(0)")
        if isNational { throw Fault("a telephone number has no (0), which is dialled within its country only") }
        let digits = text.utf8.filter(isDigit)
        guard phoneDigits.contains(digits.count), digits.first != UInt8(ascii: "0") else {
            throw Fault("a telephone number has \(phoneDigits.lowerBound) to \(phoneDigits.upperBound) digits, and the first is not 0")
        }
        return "+" + String(decoding: digits, as: UTF8.self)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
