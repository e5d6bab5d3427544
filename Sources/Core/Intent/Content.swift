/// The content of a notification: the part that a person sees and an app reads.
///
/// One value travels from the intent through packs and rows to the provider. Events, packs, identities and memory estimates take the text fields
/// from ``Field``, so a new one is declared here and used by the providers that show it.
public struct Content: Sendable, Hashable {
    /// Replaces the type's title template.
    public var title: String?
    /// Replaces the type's body template.
    public var body: String?
    /// An image to show beside the text.
    public var imageURL: String?
    /// The payload: a JSON object as text, valid for the type's schema.
    public var data: String
    /// Notifications of one group are shown as one thread.
    public var groupKey: String?
    /// A newer notification with the same key replaces this one on the device.
    public var collapseKey: String?

    public init(
        title: String? = nil, body: String? = nil, imageURL: String? = nil, data: String = "{}", groupKey: String? = nil,
        collapseKey: String? = nil
    ) {
        self.title = title
        self.body = body
        self.imageURL = imageURL
        self.data = data
        self.groupKey = groupKey
        self.collapseKey = collapseKey
    }

    /// A text field, by its name on every wire.
    public enum Field: String, CaseIterable, Sendable, Hashable {
        case title, body, imageURL
        case groupKey, collapseKey

        /// The form that intake demands of the field.
        public var form: Form {
            switch self {
            case .title, .body: .text
            case .imageURL: .link
            case .groupKey, .collapseKey: .key
            }
        }

        /// The form of a text field.
        public enum Form: Sendable, Hashable {
            /// Any text.
            case text
            /// An `https` address, which the device opens or loads. Its length has a limit.
            case link
            /// A key is compared and never shown. Its length has a limit.
            case key
        }

        /// In the order of the wire: texts and links to show stand before the data, keys after it.
        public static let shown = allCases.filter { $0.form != .key }
        public static let keys = allCases.filter { $0.form == .key }
    }

    /// A text field; nil if the content does not have it.
    public subscript(field: Field) -> String? {
        get {
            switch field {
            case .title: title
            case .body: body
            case .imageURL: imageURL
            case .groupKey: groupKey
            case .collapseKey: collapseKey
            }
        }
        set {
            switch field {
            case .title: title = newValue
            case .body: body = newValue
            case .imageURL: imageURL = newValue
            case .groupKey: groupKey = newValue
            case .collapseKey: collapseKey = newValue
            }
        }
    }
}

/// A value with the content of a notification, whose fields it shows as its own.
public protocol HasContent {
    var content: Content { get }
}

extension HasContent {
    @inlinable public var title: String? { content.title }
    @inlinable public var body: String? { content.body }
    @inlinable public var imageURL: String? { content.imageURL }
    @inlinable public var data: String { content.data }
    @inlinable public var groupKey: String? { content.groupKey }
    @inlinable public var collapseKey: String? { content.collapseKey }
}
