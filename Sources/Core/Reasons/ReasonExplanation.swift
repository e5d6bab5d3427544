/// The explanation of a reason code for a first-time reader.
public struct ReasonExplanation: Sendable, Hashable {
    public var code: ReasonCode
    /// One sentence in plain words.
    public var meaning: String
    /// The next step, for an operator or a producer. "Nothing." if no step is needed.
    public var whatToDo: String
    /// Whether a retry of the unchanged message can end otherwise.
    public var isRetryable: Bool
    /// The states of a delivery that the code can explain, the usual one first. Empty if there never was a delivery.
    public var states: [DeliveryState]
    /// The first version with this code.
    public var since: String

    init(
        _ code: ReasonCode,
        _ meaning: String,
        _ whatToDo: String,
        retryable: Bool = false,
        explains states: [DeliveryState] = [],
        since: String = "0.1.0"
    ) {
        self.code = code
        self.meaning = meaning
        self.whatToDo = whatToDo
        self.isRetryable = retryable
        self.states = states
        self.since = since
    }
}

extension ReasonCode {
    /// The meaning of the code and the next step.
    public var explanation: ReasonExplanation {
        guard let explanation = ReasonExplanation.byCode[self] else {
            preconditionFailure("reason code \(rawValue) has no explanation; add it to the table of its kind")
        }
        return explanation
    }

    /// One sentence in plain words.
    public var meaning: String { explanation.meaning }
    /// The next step.
    public var whatToDo: String { explanation.whatToDo }
    /// Whether a retry of the unchanged message can end otherwise.
    public var isRetryable: Bool { explanation.isRetryable }
    /// The first version with this code.
    public var since: String { explanation.since }
    /// The states of a delivery that the code can explain.
    public var states: [DeliveryState] { explanation.states }
}

extension ReasonExplanation {
    /// Every explanation, in the order in which the list is printed.
    public static let all: [ReasonExplanation] = suppressed + held + notes + attempts + ends + rejected + dead

    fileprivate static let byCode = Dictionary(uniqueKeysWithValues: all.map { ($0.code, $0) })
}
