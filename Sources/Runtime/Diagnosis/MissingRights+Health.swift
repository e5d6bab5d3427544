package import TidingsStore

/// Missing rights in words: the findings of `tidings doctor`, and the failure of a command that could not give all rights.
extension MissingRights {
    /// No finding if there is no schema yet: its rights come with it.
    package var findings: [Finding] {
        guard let owner else { return [] }
        var findings: [Finding] = []
        let isAdministratorNeeded = !statements.isEmpty
        if !absentRoles.isEmpty { findings.append(Finding("rights", .error, .roleMissing, sentences[0], whatToDo: whatToDo)) }
        for words in absentRoles.isEmpty ? sentences[...] : sentences.dropFirst() {
            findings.append(
                Finding(
                    "rights", .error, .rightsMissing, words,
                    whatToDo: isAdministratorNeeded ? whatToDo : "\(owner), the owner of the schema, runs tidings db grant."))
        }
        if ownerLacksApp, absentRoles.isEmpty {
            findings.append(
                Finding(
                    "rights", .warning, .rightsMissing,
                    "\(owner), the owner of the schema, is no member of tidings_app: a process that logs in as \(owner) cannot serve an inbox",
                    whatToDo: "An administrator of PostgreSQL runs: grant tidings_app to \(owner). Other logins do not need it."))
        }
        return isEmpty ? [.ok("rights", "the roles of PostgreSQL have all their rights")] + findings : findings
    }

    private var whatToDo: String {
        "An administrator of PostgreSQL runs: \(statements.joined(separator: " ")) Then \(owner ?? "the owner") runs tidings db grant."
    }

    /// The failure of a command that has done everything else. Nil if every role has its rights.
    package var failure: Failure? {
        guard !isEmpty else { return nil }
        let why = absentRoles.isEmpty || userMayCreateRoles ? "" : " (\(user) has no CREATEROLE)"
        let hint =
            statements.isEmpty
            ? "\(owner ?? "the owner"), the owner of the schema, runs tidings db grant"
            : "an administrator of PostgreSQL runs these statements, and then \(owner ?? user) runs tidings db grant:"
                + statements.map { "\n    \($0)" }.joined()
        return Failure(.bad, "rights are missing: \(sentences.joined(separator: "; "))\(why)", hint: hint)
    }

    /// The note of a command if only the owner's own membership is missing.
    package var note: String? {
        guard isEmpty, ownerLacksApp, let owner else { return nil }
        return
            "note: \(owner) is no member of tidings_app. If processes log in as \(owner), an administrator runs: grant tidings_app to \(owner)"
    }
}
