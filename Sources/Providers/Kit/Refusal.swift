public import TidingsCore

/// The reason why a delivery is not sent at all. With the same content, every attempt would be refused.
public struct Refusal: Error, Sendable, Hashable {
    /// The result of the delivery.
    public let result: SendResult

    /// - Parameter detail: the figure or the value at fault.
    public init(_ reason: ReasonCode, _ detail: String) {
        result = SendResult(.rejected(reason), detail: detail)
    }

    /// Returns a note for ``TidingsCore/SendResult/noting(_:)``: a message for several platforms goes out without the platform that this
    /// refusal is about.
    public func leavingOut(platform: String) -> String {
        "the platform \(platform) was left out" + (result.detail.map { ": \($0)" } ?? "")
    }
}
