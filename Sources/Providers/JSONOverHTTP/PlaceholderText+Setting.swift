import TidingsEncodings

extension PlaceholderText {
    /// Reads the text of a setting.
    ///
    /// - Parameter meaning: returns the meaning of a name, or throws if the name is unknown.
    init(setting text: String, _ meaning: (String) throws(SettingProblem) -> Name) throws(SettingProblem) {
        let (names, problems) = PlaceholderText<String>.read(text)
        if let problem = problems.first { throw SettingProblem(problem) }
        self = try names.naming(meaning)
    }
}
