package import TidingsCore
package import TidingsStore

/// Reads the tokens of devices at every door, with the readers of the providers that issued them. A token that can never work is refused
/// when it is registered, with the same words as at a send.
///
/// The kind of the issuer decides about the form. The issuer is, in this order:
///
/// 1. the provider that the report names, by its kind or by its name in the catalogue,
/// 2. the provider of the device that is changed, or that has the token already,
/// 3. the standard provider of the platform that the report names, or of ``TidingsCore/DevicePlatform/standard``.
///
/// It does not matter whether a market uses the issuer. Markets change, and the form of a token does not.
///
/// The token of a browser is also an address. It is refused if no provider of the catalogue that has the issuer's name or kind would ever
/// send there. If there is no such provider, the standard settings of the kind decide.
package struct DeviceTokens: Sendable {
    private let registry: ProviderRegistry
    private let store: Store
    private let environment: [String: String]

    /// - Parameter environment: the settings of providers that the catalogue does not have.
    package init(_ registry: ProviderRegistry, store: Store, environment: [String: String]) {
        self.registry = registry
        self.store = store
        self.environment = environment
    }

    /// Returns the names by which a report may name an issuer.
    package func issuers(in catalogue: Catalogue) -> IssuerNames {
        IssuerNames(kinds: registry.kinds.map { $0.kind }, catalogue: catalogue)
    }

    /// Returns the token of a device that registers. Throws a ``TidingsCore/DeviceToken/Fault`` for a text that is no token of its issuer.
    package func read(
        _ written: String, _ settings: DeviceSettings, tenant: String, in catalogue: Catalogue
    ) async throws -> DeviceToken {
        var issuer = settings.provider
        if issuer == nil { issuer = try await store.recipients.issuer(ofTokens: registry.tokenIdentities(of: written), tenant: tenant) }
        return try read(written, issuedBy: issuer ?? (settings.platform ?? .standard).standardProvider, in: catalogue)
    }

    /// Returns the token for a change of a device; nil if the token stays as it is. If the change names another provider, the token that
    /// stays must be one of that provider.
    ///
    /// Throws a ``TidingsCore/DeviceToken/Fault`` for a text that is no token of its issuer. Returns nil if there is no such device, or if
    /// it does not belong to `owner`.
    package func read(
        _ written: String?, _ settings: DeviceSettings, of device: String, tenant: String, owner: String? = nil, in catalogue: Catalogue
    ) async throws -> DeviceToken? {
        guard written != nil || settings.provider != nil,
            let stored = try await store.recipients.token(of: device, tenant: tenant, owner: owner)
        else { return nil }
        // A device without an issuer accepts any provider, so any text may be its token.
        guard let issuer = settings.provider ?? stored.issuer else { return try written.map { try DeviceToken($0) } }
        let token = try read(written ?? stored.text, issuedBy: issuer, in: catalogue)
        return written == nil && token.text == stored.text ? nil : token
    }

    private func read(_ written: String, issuedBy issuer: String, in catalogue: Catalogue) throws(DeviceToken.Fault) -> DeviceToken {
        let kind = registry.has(kind: issuer) ? issuer : catalogue.providers[issuer]?.kind ?? issuer
        let token = try registry.deviceToken(written, issuedBy: kind)
        let bindings = catalogue.providers.values.filter { !$0.needsNoEndpoint && ($0.name == issuer || $0.kind == issuer) }
        let standard = ProviderBinding(name: kind, channel: .push, kind: kind, addressing: .device)
        if let problem = registry.problem(
            ofEndpoint: token.text, for: bindings.isEmpty ? [standard] : bindings, environment: environment)
        {
            throw DeviceToken.Fault(problem)
        }
        return token
    }
}
