/// A way of reaching a person. Raw values are spelled the same in code, JSON, SQL, queue names, metrics and the command line.
///
/// Channels compare in the order of declaration, from the most immediate to the least immediate. Lists of channels are printed in this
/// order.
public enum Channel: String, CaseIterable, Sendable, Hashable, Comparable {
    /// A remote notification to a device, through the provider that holds its token.
    case push
    /// A notification that the device shows by itself, from a plan that the server keeps and the app syncs.
    case local
    /// An item of the person's inbox; needs neither device nor address.
    case inApp
    /// A message to the person's e-mail address.
    case email
    /// A text message to the person's telephone number.
    case sms
    /// A message to a browser's push subscription.
    case webPush
    /// A signed HTTP request to the person's registered address.
    case webhook

    public static func < (left: Channel, right: Channel) -> Bool {
        left.rank < right.rank
    }

    /// True for channels that end on a device of the person, which may have refused to show notifications.
    public var endsOnDevice: Bool {
        switch self {
        case .push, .local, .webPush: true
        case .inApp, .email, .sms, .webhook: false
        }
    }

    /// The reason for a delivery to a person who has no endpoint on this channel.
    public var missingEndpointReason: ReasonCode {
        switch self {
        case .push, .local: .noDevice
        case .email, .sms, .webPush, .webhook: .noAddress
        case .inApp: .noProvider
        }
    }

    private var rank: Int { Self.inOrder.firstIndex(of: self) ?? Self.inOrder.endIndex }

    private static let inOrder = allCases
}
