extension ProviderSettings {
    /// Returns the text of a setting that must be set.
    public func required(_ name: String, _ message: String = "must be set") throws(ProviderConfigurationError) -> String {
        guard let value = text(name) else { throw missing(name, message) }
        return value
    }

    /// Returns the secret of a setting that must be set. See ``secret(_:)``.
    public func requiredSecret(
        _ name: String, _ message: String = "must be set: env:NAME or file:/path"
    ) throws(ProviderConfigurationError) -> String {
        guard let value = try secret(name) else { throw missing(name, message) }
        return value
    }

    /// Returns the value that `make` reads from a setting. If `make` throws, throws its description as the error of that setting.
    public func parsed<Value, Problem: Error & CustomStringConvertible>(
        _ setting: String, _ make: () throws(Problem) -> Value
    ) throws(ProviderConfigurationError) -> Value {
        do throws(Problem) {
            return try make()
        } catch {
            throw self.error(setting, error.description)
        }
    }

    /// Returns the value of a setting that is one of a few words.
    public func choice<Choice: RawRepresentable & CaseIterable>(
        _ name: String, default standard: Choice
    ) throws(ProviderConfigurationError) -> Choice where Choice.RawValue == String {
        guard let word = text(name) else { return standard }
        return try choice(word, of: name)
    }

    /// Returns the values of a setting that is a list of a few words, in the order of their cases. Nil if absent.
    ///
    /// - Parameter noun: the word for one value, such as `platform`.
    public func choices<Choice: RawRepresentable & CaseIterable & Equatable>(
        _ name: String, noun: String
    ) throws(ProviderConfigurationError) -> [Choice]? where Choice.RawValue == String {
        guard let words = list(name) else { return nil }
        var chosen: [Choice] = []
        for word in words { chosen.append(try choice(word, of: name)) }
        guard !chosen.isEmpty else { throw error(name, "names no \(noun)") }
        return Choice.allCases.filter { chosen.contains($0) }
    }

    private func choice<Choice: RawRepresentable & CaseIterable>(
        _ word: String, of setting: String
    ) throws(ProviderConfigurationError) -> Choice where Choice.RawValue == String {
        guard let choice = Choice(rawValue: word) else {
            let known = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw error(setting, "\"\(word)\" is none of \(known)")
        }
        return choice
    }
}
