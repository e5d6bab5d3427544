/// An outcome with what is worth recording about how it came.
public struct SendResult: Sendable, Hashable {
    public var outcome: Outcome
    /// The HTTP status, or the like number of another protocol.
    public var status: Int?
    /// What the provider said, shortened and made printable.
    public private(set) var detail: String?
    /// Of an endpoint that is gone: since when, where the provider says it. One registered after that is another and stays.
    public var goneSince: Timestamp?

    /// Control characters of `detail` become spaces, and it is cut to ``longestDetail`` bytes at a character's edge; an empty one becomes
    /// nil.
    public init(_ outcome: Outcome, status: Int? = nil, detail: String? = nil, goneSince: Timestamp? = nil) {
        self.outcome = outcome
        self.status = status
        self.goneSince = goneSince
        self.detail = detail.flatMap(SendResult.printable)
    }

    /// In bytes of UTF-8: enough for an error message, too little to store somebody's page a million times.
    public static let longestDetail = 500

    private static func printable(_ text: String) -> String? {
        var result = String.UnicodeScalarView()
        var length = 0
        for scalar in text.unicodeScalars {
            let safe = isPrintable(scalar) ? scalar : " "
            length += UTF8.width(safe)
            guard length <= longestDetail else { break }
            result.append(safe)
        }
        return result.isEmpty ? nil : String(result)
    }

    /// Neither control characters nor those that change the direction or the look of the text around them in a terminal.
    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
        default: true
        }
    }
}
