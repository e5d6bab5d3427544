public import TidingsCore

/// The reason why a delivery is not sent at all. With the same content, every attempt would be refused.
public struct Refusal: Error, Sendable, Hashable {
    /// The result of the delivery.
    public let result: SendResult

    /// - Parameter detail: the figure or the value at fault.
    public init(_ reason: ReasonCode, _ detail: String) {
        result = SendResult(.rejected(reason), detail: detail)
    }
}
