import TidingsCore

/// Why one event is refused.
struct EventProblem: Error {
    let reason: ReasonCode
    let pointer: String
    let message: String

    init(_ reason: ReasonCode, _ pointer: String, _ message: String) {
        self.reason = reason
        self.pointer = pointer
        self.message = message
    }

    init(_ error: JSONParseError, inside pointer: String = "") {
        let reason: ReasonCode =
            switch error.code {
            case .notJSON, .trailingContent: .notJSON
            case .invalidUTF8: .invalidUTF8
            case .duplicateKey: .duplicateKey
            case .tooDeep: .tooDeep
            case .nulCharacter: .nulCharacter
            case .tooManyNodes, .numberTooLong: .tooLarge
            case .tooManyElements: .tooManyEvents
            }
        self.init(reason, pointer + error.pointer, "\(error.message) (byte \(error.offset))")
    }

    /// Longest text of a producer that a message repeats, in characters.
    private static let longestShown = 80

    /// A text of a producer as it may stand in a message: short, and without line breaks.
    static func shown(_ text: String) -> String {
        let clean = String(text.prefix(longestShown).map { $0.isNewline || $0 == "\t" ? " " : $0 })
        return clean.count < text.count ? clean + "…" : clean
    }
}
