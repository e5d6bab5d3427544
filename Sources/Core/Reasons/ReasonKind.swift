/// The parts of the list of reason codes.
public enum ReasonKind: String, CaseIterable, Sendable, Hashable {
    /// The rules decided not to send.
    case suppressed
    /// The delivery waits for a time or for another channel.
    case held
    /// A note that stands beside another reason. It ends nothing.
    case note
    /// A reason of one attempt. The delivery is retried or has failed.
    case attempt
    /// Any other end of a delivery.
    case end
    /// The reason why an intent was refused at intake. The intent is kept under `tidings rejected`.
    case rejected
    /// The reason why an internal message could not be processed. The message is kept under `tidings dead`.
    case dead
}
