import TidingsJSON
import TidingsProvider

/// The settings of one binding of kind `fcm`.
struct FCMConfiguration: Sendable {
    /// Google's public address.
    static let endpoint = "https://fcm.googleapis.com"

    var account: ServiceAccount
    /// The id or the number of the Firebase project that the devices' tokens belong to.
    var projectID: String
    var call: CallSettings

    /// The URL to which messages are posted.
    var sendURL: String { "\(call.endpoint)/v1/projects/\(projectID)/messages:send" }
}

extension FCMConfiguration {
    /// The settings of the catalogue, in the order of the documentation.
    static let settings =
        [
            ProviderSetting(
                "serviceAccount", "The JSON key file of a service account that may send: `env:NAME` of its text, or `file:/path`.",
                isSecret: true),
            ProviderSetting("projectId", "The Firebase project, by id or number; empty for the one that the key file names."),
        ] + CallSettings.declarations(endpoint: endpoint)

    init(_ settings: ProviderSettings) throws(ProviderConfigurationError) {
        var errors = SettingErrors(of: settings)
        let account = errors.collect(try Self.account(settings))
        let projectID = errors.collect(try Self.projectID(settings))
        let call = errors.collect(try CallSettings(settings, endpoint: Self.endpoint))
        guard let account, let projectID, let call else { throw errors.combined }
        self.account = account
        self.projectID = projectID ?? account.projectID
        self.call = call
    }

    private static func account(_ settings: ProviderSettings) throws(ProviderConfigurationError) -> ServiceAccount {
        let text = try settings.requiredSecret(
            "serviceAccount", "must be set: file:/path or env:NAME of the service account's JSON key file")
        return try settings.parsed("serviceAccount") { () throws(ServiceAccount.Problem) in try ServiceAccount(json: text) }
    }

    /// Returns nil if the project of the key file counts.
    private static func projectID(_ settings: ProviderSettings) throws(ProviderConfigurationError) -> String? {
        guard let projectID = settings.text("projectId") else { return nil }
        guard ServiceAccount.isProjectID(projectID) else {
            throw settings.error("projectId", "\"\(projectID)\" is not the id or the number of a project")
        }
        return projectID
    }
}
