import TidingsProvider

/// The settings of one binding of kind `braze`.
struct BrazeConfiguration: Sendable {
    enum Platform: String, CaseIterable, Sendable {
        case ios, android

        /// The setting that names this platform's message variation of the campaign.
        var variationSetting: String { "\(rawValue)VariationId" }
    }

    /// A key of the REST API with the permission `messages.send`.
    var apiKey: String
    /// At least one, in the order of ``Platform``.
    var platforms: [Platform]
    /// The campaign that Braze counts the messages for; nil for none.
    var campaignID: String?
    /// One message variation for each of ``platforms`` if there is a campaign; otherwise empty.
    var variationIDs: [Platform: String] = [:]
    /// Whether to make one call for each person. If true, a visible message contains its `id` and `createdAt`.
    var perPerson: Bool
    var call: CallSettings
}

extension BrazeConfiguration {
    /// The settings of the catalogue, in the order of the documentation.
    static let settings =
        [
            ProviderSetting(
                "apiKey", "A REST API key with the permission `messages.send`, as `env:NAME` or `file:/path`; required.", isSecret: true),
            ProviderSetting("platforms", "Which devices of a person get it: `ios`, `android` or both.", defaultValue: "ios, android"),
            ProviderSetting("campaignId", "The campaign that Braze counts the messages for; empty for none."),
            ProviderSetting("iosVariationId", "The campaign's message variation for iOS; required with `campaignId`."),
            ProviderSetting("androidVariationId", "The campaign's message variation for Android; required with `campaignId`."),
            ProviderSetting(
                "perPerson",
                "Make one call for each person, so that a visible message tells the app its `id` and `createdAt`; otherwise one call is for up "
                    + "to 50 people, who share a message without the two.",
                defaultValue: "false"),
        ] + CallSettings.declarations(endpoint: "")

    init(_ settings: ProviderSettings) throws(ProviderConfigurationError) {
        var errors = SettingErrors(of: settings)
        let apiKey = errors.collect(try settings.requiredSecret("apiKey"))
        let platforms: [Platform]? = errors.collect(try settings.choices("platforms", noun: "platform") ?? Platform.allCases)
        let perPerson = errors.collect(try settings.flag("perPerson", default: false))
        let call = errors.collect(try CallSettings(settings, endpoint: ""))
        var variations: [Platform: String] = [:]
        // Without the platforms nobody knows which variations are needed.
        for platform in platforms == nil ? [] : Platform.allCases {
            let variation = errors.collect(try Self.variation(for: platform, of: platforms ?? [], settings))
            variations[platform] = variation ?? nil
        }
        guard let apiKey, let platforms, let perPerson, let call, errors.isEmpty else { throw errors.combined }
        self.init(
            apiKey: apiKey, platforms: platforms, campaignID: settings.text("campaignId"), variationIDs: variations, perPerson: perPerson,
            call: call)
    }

    private static func variation(
        for platform: Platform, of platforms: [Platform], _ settings: ProviderSettings
    ) throws(ProviderConfigurationError) -> String? {
        let isNeeded = settings.text("campaignId") != nil && platforms.contains(platform)
        let variation = settings.text(platform.variationSetting)
        if isNeeded, variation == nil { throw settings.error(platform.variationSetting, "must be set, because campaignId is") }
        if !isNeeded, variation != nil {
            throw settings.error(platform.variationSetting, "means nothing without campaignId and \(platform.rawValue) in platforms")
        }
        return variation
    }
}
