/// The parts of the list of reason codes.
public enum ReasonKind: String, CaseIterable, Sendable, Hashable {
    /// Decided not to send.
    case suppressed
    /// Waits for a time or for another channel.
    case held
    /// Said beside another reason; ends nothing.
    case note
    /// What one attempt met. The delivery is tried again, or has failed.
    case attempt
    /// How it ended otherwise.
    case end
    /// Why an intent was refused at the door. It is kept under `tidings rejected`.
    case rejected
    /// Why a message of our own could not be processed. It is kept under `tidings dead`.
    case dead
}
