import Testing

@testable import TidingsServer

/// Settings of PostgreSQL that weaken durability.
@Suite struct DurabilityTests {
    private static func standsOut(_ change: (inout Durability) -> Void) -> [String] {
        var durability = Durability()
        change(&durability)
        return durability.findings.compactMap { finding in finding.code.map { "\(finding.level) \($0)" } }
    }

    @Test func theDefaultsAreFine() {
        #expect(Durability().findings.map(\.level) == [.ok])
    }

    @Test func whatLosesDataIsToldApart() {
        #expect(Self.standsOut { $0.fsync = false } == ["error fsyncOff"])
        #expect(Self.standsOut { $0.fullPageWrites = false } == ["warning fullPageWritesOff"])
        #expect(Self.standsOut { $0.isInRecovery = true } == ["error readOnly"])
        #expect(Self.standsOut { $0.isReadOnly = true } == ["error readOnly"])
        #expect(Self.standsOut { $0.checksums = false } == ["note checksumsOff"])
    }

    @Test func commitsThatAreNotOnDiskAreAWarning() {
        #expect(Self.standsOut { $0.synchronousCommit = "off" } == ["warning commitNotSynchronous"])
        #expect(Self.standsOut { $0.weaker = ["shop, tidings: synchronous_commit=off"] } == ["warning commitNotSynchronous"])
        #expect(Self.standsOut { $0.synchronousCommit = "local" }.isEmpty, "without a standby that is on")
        #expect(Self.standsOut { $0.synchronousCommit = "remote_apply" }.isEmpty)
    }

    @Test func standbysThatLagAreAWarning() {
        #expect(Self.standsOut { $0.standbys = 2 } == ["warning standbysAsynchronous"])
        #expect(Self.standsOut { ($0.standbys, $0.synchronousStandbys, $0.synchronousStandbyNames) = (2, 1, "b") }.isEmpty)
        #expect(Self.standsOut { ($0.standbys, $0.synchronousStandbyNames) = (1, "b") } == ["warning standbyMissing"])
        #expect(
            Self.standsOut { ($0.synchronousStandbyNames, $0.seesStandbys) = ("b", false) }.isEmpty,
            "a user that may not see the standbys says nothing of them")
        #expect(
            Self.standsOut { ($0.synchronousCommit, $0.synchronousStandbys, $0.synchronousStandbyNames) = ("local", 1, "b") }
                == ["warning commitNotSynchronous"])
    }
}
