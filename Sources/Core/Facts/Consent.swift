/// The answer of a person to messages at one address.
public enum Consent: String, CaseIterable, Sendable, Hashable {
    case granted
    /// Nothing is sent to the address, whatever the preferences say.
    case denied
    /// The answer has not been told to Tidings. Messages are sent: preferences decide, as for a device.
    case unknown
}
