package import TidingsCore
public import TidingsProvider

/// The kinds of providers that were linked into this binary.
public struct ProviderRegistry: Sendable {
    private let factories: [String: any ProviderFactory.Type]

    public init(_ factories: [any ProviderFactory.Type]) {
        self.factories = Dictionary(factories.map { ($0.kind, $0) }) { _, last in last }
    }

    /// Every kind with the settings it declares, by name.
    package var kinds: [(kind: String, settings: [ProviderSetting])] {
        factories.sorted { $0.key < $1.key }.map { ($0.key, $0.value.settings) }
    }

    /// Makes the provider of a binding. Throws a ``Failure`` that names the provider if its kind is not linked or its settings are wrong.
    func make(_ binding: ProviderBinding, environment: [String: String]) throws -> any Provider {
        do throws(ProviderConfigurationError) {
            return try build(binding, environment: environment)
        } catch {
            throw Failure(.config, "\(error)")
        }
    }

    private func build(_ binding: ProviderBinding, environment: [String: String]) throws(ProviderConfigurationError) -> any Provider {
        guard let factory = factories[binding.kind] else {
            let known = (ProviderBinding.ownKinds + factories.keys).sorted().joined(separator: ", ")
            throw ProviderConfigurationError(
                provider: binding.name, message: "kind \(binding.kind) is not part of this binary (it has \(known))")
        }
        return try factory.make(binding: binding, environment: environment)
    }

    /// Makes the reader of a binding's callbacks. Nil if the binding takes none, or if its kind is not part of this binary.
    func callbackReader(
        of binding: ProviderBinding, environment: [String: String]
    ) throws(ProviderConfigurationError) -> (any CallbackReader)? {
        try factories[binding.kind]?.callbackReader(binding: binding, environment: environment)
    }

    /// Returns the one form of a token that a provider of this kind issued. If the kind is not part of this binary, any printable text is a
    /// token.
    func deviceToken(_ written: String, issuedBy kind: String) throws(DeviceToken.Fault) -> DeviceToken {
        guard let factory = factories[kind] else { return try DeviceToken(written) }
        return try factory.deviceToken(written)
    }

    /// Returns why none of the bindings would ever send to an endpoint, in the words of the first one by name. Nil if one may send there. A
    /// binding whose kind is not part of this binary may.
    package func problem(
        ofEndpoint endpoint: String, for bindings: [ProviderBinding], environment: [String: String]
    ) -> String? {
        var first: String?
        for binding in bindings.sorted(by: { $0.name < $1.name }) {
            guard let factory = factories[binding.kind],
                let problem = factory.problem(ofEndpoint: endpoint, binding: binding, environment: environment)
            else { return nil }
            first = first ?? problem
        }
        return first
    }

    /// Whether the kind is part of this binary.
    func has(kind: String) -> Bool { factories[kind] != nil }

    /// The identities under which a device with this token may be stored: one for each kind that reads the text as a token. For a text that
    /// is no token, none.
    package func tokenIdentities(of written: String) -> Set<String> {
        var identities: Set<String> = []
        for factory in factories.values {
            if let token = try? factory.deviceToken(written) { identities.insert(token.identity) }
        }
        if let token = try? DeviceToken(written) { identities.insert(token.identity) }
        return identities
    }

    /// The files that the settings of a binding name, in the catalogue or in the environment.
    func files(of binding: ProviderBinding, environment: [String: String]) -> Set<String> {
        ProviderSettings.files(of: binding, declared: factories[binding.kind]?.settings ?? [], environment: environment)
    }

    /// Returns the problems of a catalogue's providers; none if all providers and their readers of callbacks can be made.
    ///
    /// - Parameter isJudged: whether to make the provider of this name. By default every provider is made.
    package func problems(
        of catalogue: Catalogue, environment: [String: String], where isJudged: (String) -> Bool = { _ in true }
    ) async -> [ProviderConfigurationError] {
        var problems: [ProviderConfigurationError] = []
        for binding in catalogue.providers.values.sorted(by: { $0.name < $1.name })
        where !ProviderBinding.ownKinds.contains(binding.kind) && isJudged(binding.name) {
            problems += await self.problems(of: binding, environment: environment)
        }
        return problems
    }

    private func problems(of binding: ProviderBinding, environment: [String: String]) async -> [ProviderConfigurationError] {
        var found = await trial(of: binding, environment: environment)
        // An unknown setting hides the others: without it, or under the name that was meant, they are judged as well.
        let corrected = self.corrected(binding)
        if corrected != binding { found += await trial(of: corrected, environment: environment) }
        var problems: [ProviderConfigurationError] = []
        for error in found where !problems.contains(where: { $0.setting == error.setting && $0.message == error.message }) {
            problems.append(error)
        }
        return problems
    }

    /// Makes the provider and its reader of callbacks once, and returns the errors.
    private func trial(of binding: ProviderBinding, environment: [String: String]) async -> [ProviderConfigurationError] {
        var found: [ProviderConfigurationError] = []
        do throws(ProviderConfigurationError) {
            await (try build(binding, environment: environment)).close()
        } catch {
            found += error.all
        }
        do throws(ProviderConfigurationError) {
            _ = try callbackReader(of: binding, environment: environment)
        } catch {
            found += error.all
        }
        return found
    }

    /// Returns the binding with each unknown setting under the nearest declared name, or without the setting if there is none.
    private func corrected(_ binding: ProviderBinding) -> ProviderBinding {
        guard let known = factories[binding.kind]?.settings.map(\.name) else { return binding }
        var corrected = binding
        for (name, value) in binding.settings.sorted(by: { $0.key < $1.key }) where !known.contains(name) {
            corrected.settings[name] = nil
            guard let nearest = NearestName.of(name, among: known), corrected.settings[nearest] == nil else { continue }
            corrected.settings[nearest] = value
        }
        return corrected
    }
}
