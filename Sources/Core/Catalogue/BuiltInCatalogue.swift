extension Catalogue {
    /// The catalogue in force until an operator applies another one. It is also a start to copy from.
    ///
    /// It has providers for the inbox, for local plans of devices and for webhooks. None of them needs an account with a third party. It
    /// has no push provider. Each module adds its own types.
    public static let builtIn = Catalogue(
        types: Dictionary(uniqueKeysWithValues: builtInTypes.map { ($0.name, $0) }),
        categories: Dictionary(uniqueKeysWithValues: Category.allCases.map { ($0, CategoryPolicy.standard(for: $0)) }),
        markets: ["default": Market(name: "default", providers: [.local: ["localPlan"], .inApp: ["inbox"], .webhook: ["webhook"]])],
        providers: [
            "inbox": ProviderBinding(name: "inbox", channel: .inApp, kind: ProviderBinding.inboxKind, addressing: .person),
            "localPlan": ProviderBinding(name: "localPlan", channel: .local, kind: ProviderBinding.localPlanKind, addressing: .device),
            "webhook": ProviderBinding(name: "webhook", channel: .webhook, kind: "webhook", addressing: .address),
        ],
        defaultMarket: "default",
        hash: "built-in"
    )

    private static let builtInTypes: [NotificationType] = shopTypes + mediaTypes + lendingTypes

    /// A shop: one type for each reason to write to a person.
    private static let shopTypes = [
        NotificationType(name: "orderUpdate", category: .transactional, allowsCritical: true),
        NotificationType(name: "promotion", category: .marketing),
        NotificationType(name: "reminder", category: .system, allowsCritical: true),
        NotificationType(name: "social", category: .social),
        NotificationType(name: "system", category: .system, allowsCritical: true),
    ]

    /// A media app. Its silent notifications wake the app when a file is available.
    private static let mediaTypes = [
        NotificationType(name: "metadata", category: .system, schemaJSON: metadataSchema, channels: [.push], silent: true),
        NotificationType(name: "downloadReady", category: .system, schemaJSON: downloadReadySchema, channels: [.push], silent: true),
    ]

    /// A lending app's inbox.
    private static let lendingTypes = [
        NotificationType(name: "LOAN_APPROVED", category: .transactional, icon: "checkmark.circle.fill", color: "green"),
        NotificationType(name: "LOAN_REJECTED", category: .transactional, icon: "xmark.circle.fill", color: "red"),
        NotificationType(name: "PAYMENT_RECEIVED", category: .transactional, icon: "arrow.down.circle.fill", color: "green"),
        NotificationType(name: "PAYMENT_DUE", category: .transactional, icon: "exclamationmark.circle.fill", color: "orange"),
        NotificationType(name: "NEW_LENDER", category: .transactional, icon: "person.circle.fill", color: "blue"),
        NotificationType(name: "SYSTEM_UPDATE", category: .system, icon: "info.circle.fill", color: "gray"),
    ]

    private static let metadataSchema = """
        {
          "type": "object",
          "required": ["file"],
          "properties": {
            "file": {
              "type": "object",
              "required": ["fileId", "key"],
              "properties": {
                "fileId": {"type": "string", "minLength": 1},
                "key": {"type": "string", "minLength": 1},
                "title": {"type": "string"},
                "publishDate": {"type": "string", "format": "date"},
                "size": {"type": "integer", "minimum": 0},
                "url": {"type": "string", "format": "uri"}
              }
            }
          }
        }
        """

    private static let downloadReadySchema = """
        {
          "type": "object",
          "required": ["fileId", "url"],
          "properties": {
            "fileId": {"type": "string", "minLength": 1},
            "url": {"type": "string", "format": "uri", "pattern": "^https://[^/]"}
          }
        }
        """
}
