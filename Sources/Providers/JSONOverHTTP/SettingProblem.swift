import TidingsProvider

/// The reason why the text of a setting cannot be used, in words for the operator who wrote the text.
struct SettingProblem: Error {
    let message: String

    init(_ message: String) {
        self.message = message
    }
}

extension ProviderSettings {
    /// Returns the value made from a setting's text. If the text has a problem, throws the error of that setting.
    func compile<Value>(
        _ setting: String, _ make: () throws(SettingProblem) -> Value
    ) throws(ProviderConfigurationError) -> Value {
        do throws(SettingProblem) {
            return try make()
        } catch {
            throw self.error(setting, error.message)
        }
    }
}
