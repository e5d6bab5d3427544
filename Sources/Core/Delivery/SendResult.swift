/// An outcome with what is worth recording about how it came.
public struct SendResult: Sendable, Hashable {
    public var outcome: Outcome
    /// The HTTP status, or the like number of another protocol.
    public var status: Int?
    /// Of an endpoint that is gone: since when, where the provider says it. One registered after that is another and stays.
    public var goneSince: Timestamp?
    /// What the provider said, printable. More of it than ``detail`` shows, so that secrets are looked for before anything is cut.
    private var said: String?

    /// Control characters of `detail` become spaces; an empty one becomes nil. See ``detail`` for its length, and ``hiding(_:)`` for what
    /// must not be in it.
    public init(_ outcome: Outcome, status: Int? = nil, detail: String? = nil, goneSince: Timestamp? = nil) {
        self.outcome = outcome
        self.status = status
        self.goneSince = goneSince
        said = detail.flatMap(Self.printable)
    }

    /// What the provider said, made printable and cut to ``longestDetail`` bytes at a character's edge; nil for nothing.
    public var detail: String? {
        guard let said, said.utf8.count > Self.longestDetail else { return said }
        var end = said.utf8.index(said.utf8.startIndex, offsetBy: Self.longestDetail)
        // The bytes that continue a scalar begin with the bits 10.
        while said.utf8[end] & 0xC0 == 0x80 { end = said.utf8.index(before: end) }
        return String(said[..<end])
    }

    /// In bytes of UTF-8: enough for an error message, too little to store somebody's page a million times.
    public static let longestDetail = 500
    /// In bytes of UTF-8, of what a provider said: secrets are looked for in this much of it, and what comes after it is dropped.
    public static let longestSaid = 8 << 10
    /// In bytes of UTF-8; a shorter secret would be found in ordinary words, and can be guessed anyway.
    public static let shortestSecret = 6

    /// The same result without the secrets of its call, each of whose occurrences becomes `…`, in the detail before it is cut, and in the
    /// provider's id of the message. For a service that repeats what it was sent; every provider ends its `send` with it.
    ///
    ///     return pagerResult(of: answer).hiding([apiKey, item.endpointAddress ?? ""])
    ///
    /// - A secret is found as it stands, in capitals or small letters, percent-encoded, escaped as in JSON, and where what was said
    ///   breaks off within it. Of one with white space, such as `Bearer abc…` or the lines of a PEM file, each longer word is a secret by itself.
    /// - Nothing is hidden for a secret of fewer than ``shortestSecret`` bytes.
    /// - A secret in another form, such as Base64, is another secret: name both. So is the part of an address that makes it one.
    public func hiding(_ secrets: [String]) -> SendResult {
        var result = self
        if case .accepted(let id?, let delivered) = outcome {
            result.outcome = .accepted(providerMessageID: HiddenSecrets(secrets).hidden(in: id), delivered: delivered)
        }
        if let said { result.said = HiddenSecrets(secrets).hidden(in: said) }
        return result
    }

    private static func printable(_ text: String) -> String? {
        var result = String.UnicodeScalarView()
        var length = 0
        for scalar in text.unicodeScalars {
            let safe = isPrintable(scalar) ? scalar : " "
            length += UTF8.width(safe)
            guard length <= longestSaid else { break }
            result.append(safe)
        }
        return result.isEmpty ? nil : String(result)
    }

    /// Neither control characters nor those that change the direction or the look of the text around them in a terminal.
    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        if (0x20...0x7E).contains(scalar.value) { return true }
        return switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
        default: true
        }
    }
}
