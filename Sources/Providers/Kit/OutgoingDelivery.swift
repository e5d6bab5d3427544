public import TidingsCore

/// One delivery with everything that a provider needs to send it.
public struct OutgoingDelivery: Sendable, Hashable, HasDeliveryHeader, HasContent {
    public var header: DeliveryHeader
    /// Its data is checked already; providers pass it on unchanged.
    public var content: Content
    /// The address of the endpoint, such as a URL or a token. Nil for providers that address the person.
    public var endpointAddress: String?
    /// The endpoint's signing secrets, newest first. More than one during a rotation.
    public var secrets: [String]
    /// The same for every attempt of this delivery, and different for every other delivery. Receivers recognise a repetition by this key.
    public var idempotencyKey: String
    /// Whether the notification wakes the app and shows nothing. True if its type is declared `silent`.
    public var silent: Bool
    /// How much a visible notification may disturb; nil leaves the choice to the platform.
    public var interruptionLevel: InterruptionLevel?
    /// The person's number of unread notifications, for the app's icon; nil if unknown.
    public var badge: Int?
    /// The device behind ``endpointAddress``; nil if the address is not a device.
    public var device: OutgoingDevice?

    public init(
        header: DeliveryHeader, content: Content = Content(), endpointAddress: String? = nil, secrets: [String] = [],
        idempotencyKey: String, silent: Bool = false, interruptionLevel: InterruptionLevel? = nil, badge: Int? = nil,
        device: OutgoingDevice? = nil
    ) {
        self.header = header
        self.content = content
        self.endpointAddress = endpointAddress
        self.secrets = secrets
        self.idempotencyKey = idempotencyKey
        self.silent = silent
        self.interruptionLevel = interruptionLevel
        self.badge = badge
        self.device = device
    }

    /// The provider should not deliver the notification after this time; nil for no expiry.
    public var expiresAt: Timestamp? { header.expiresAt }
}

/// The texts of the content. An empty text counts as absent, as at every door.
extension OutgoingDelivery {
    public var title: String? { content.title?.ifPresent }
    public var body: String? { content.body?.ifPresent }
    public var imageURL: String? { content.imageURL?.ifPresent }
    public var groupKey: String? { content.groupKey?.ifPresent }
    public var collapseKey: String? { content.collapseKey?.ifPresent }
}

extension OutgoingDelivery {
    /// Everything that a person sees and an app reads. Deliveries with the same key may be sent in one call, if the provider takes several.
    public struct BatchKey: Sendable, Hashable {
        public var type: String
        public var category: Category
        public var content: Content
        public var silent: Bool
        public var interruptionLevel: InterruptionLevel?
        public var badge: Int?
        public var expiresAt: Timestamp?
    }

    public var batchKey: BatchKey {
        BatchKey(
            type: type, category: category, content: content, silent: silent, interruptionLevel: interruptionLevel, badge: badge,
            expiresAt: expiresAt)
    }
}

/// The facts about a device that a push provider needs beside its token.
public struct OutgoingDevice: Sendable, Hashable {
    /// `ios`, `android` or `web`.
    public var platform: String
    /// `production` or `sandbox`: the server of the platform that issued the token.
    public var environment: String

    public init(platform: String, environment: String) {
        self.platform = platform
        self.environment = environment
    }
}
