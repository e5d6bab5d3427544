import TidingsProvider

/// Why the text of a setting cannot be used, in words for the operator who wrote it.
struct SettingProblem: Error {
    let message: String

    init(_ message: String) {
        self.message = message
    }
}

extension ProviderSettings {
    /// What is made of a setting's text; a problem with it becomes the error of that setting.
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
