/// The reason why the text of a setting cannot be used, in words for the operator who wrote the text.
struct SettingProblem: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
