import TidingsContracts
public import TidingsCore
import TidingsJSON

/// The reason why one event is refused.
public struct EventProblem: Error, Sendable {
    public let reason: ReasonCode
    /// JSON pointer to the place in the event.
    public let pointer: String
    public let message: String
    /// Whether the same event can be accepted later: after a change of the catalogue, or alone instead of in its batch.
    public let mayPassLater: Bool
    /// Each violation of the type's schema.
    let violations: [Rejection.Violation]

    /// - Parameter mayPassLater: nil for the default of the reason code.
    init(
        _ reason: ReasonCode, _ pointer: String, _ message: String, mayPassLater: Bool? = nil, violations: [Rejection.Violation] = []
    ) {
        self.violations = violations
        self.reason = reason
        self.pointer = pointer
        self.message = message
        self.mayPassLater = mayPassLater ?? reason.isRetryable
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

    /// The longest text of a producer that a message repeats, in code points. One character may consist of thousands of code points.
    private static let longestShown = 80

    /// A text of a producer in a form that fits into a message: short and printable.
    static func shown(_ text: String) -> String {
        let scalars = text.unicodeScalars
        let clean = String(scalars.prefix(longestShown)).printable
        return scalars.dropFirst(longestShown).isEmpty ? clean : clean + "…"
    }
}
