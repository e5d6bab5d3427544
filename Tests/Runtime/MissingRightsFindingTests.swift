import Testing

@testable import TidingsServer
@testable import TidingsStore

/// Missing rights as findings of `tidings doctor`, and as the failure of `tidings db migrate`.
@Suite struct MissingRightsFindingTests {
    private static func missing(_ rights: [MissingRight], owner: String? = "owner1", ownerLacksApp: Bool = false) -> MissingRights {
        MissingRights(rights: rights, user: "owner1", userMayCreateRoles: false, owner: owner, ownerLacksApp: ownerLacksApp)
    }

    private static let absent = ["tidings_run", "tidings_app"].map { MissingRight(role: $0, kind: .role, object: $0, right: "role") }
    private static let lastStatements = "create role tidings_app nologin;\n    grant tidings_app to tidings_run, tidings_run_api;"
    private static let lacking = MissingRight(role: "tidings_ops_read", kind: .schema, object: "tidings_ops", right: "usage")

    /// The level and code of each finding that is not ok.
    private static func standsOut(_ missing: MissingRights) -> [String] {
        missing.findings.compactMap { finding in finding.code.map { "\(finding.level) \($0)" } }
    }

    @Test func completeRightsAreFine() {
        #expect(Self.missing([]).findings.map(\.level) == [.ok] && Self.missing([]).failure == nil && Self.missing([]).note == nil)
        #expect(Self.missing(Self.absent, owner: nil).findings.isEmpty, "an empty database has no rights yet")
    }

    @Test func rolesAndRightsAreToldApart() throws {
        #expect(Self.standsOut(Self.missing(Self.absent + [Self.lacking])) == ["error roleMissing", "error rightsMissing"])
        #expect(Self.standsOut(Self.missing([Self.lacking])) == ["error rightsMissing"])
        let finding = try #require(Self.missing([Self.lacking]).findings.first)
        #expect(finding.whatToDo == "owner1, the owner of the schema, runs tidings db grant.")
    }

    @Test func theFailureHasTheStatements() throws {
        let failure = try #require(Self.missing(Self.absent).failure)
        #expect(failure.code == .bad)
        #expect(failure.message == "rights are missing: the roles tidings_run, tidings_app do not exist (owner1 has no CREATEROLE)")
        #expect(failure.hint?.hasSuffix(Self.lastStatements) == true, "\(failure)")
        let own = try #require(Self.missing([Self.lacking]).failure)
        #expect(own.hint == "owner1, the owner of the schema, runs tidings db grant")
    }

    /// Only processes that log in as the owner need it, so this is no failure.
    @Test func theOwnersMembershipIsANote() {
        let missing = Self.missing([], ownerLacksApp: true)
        #expect(Self.standsOut(missing) == ["warning rightsMissing"])
        #expect(missing.failure == nil && missing.note?.contains("grant tidings_app to owner1") == true)
    }
}
