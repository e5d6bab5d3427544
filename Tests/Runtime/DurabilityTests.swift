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

    @Test func aSettingThatLosesDataIsToldApart() {
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
        #expect(Self.standsOut { $0.standbys.connected = 2 } == ["warning standbysAsynchronous"])
        #expect(Self.standsOut { $0.standbys = SynchronousStandbys(names: "b", connected: 2, synchronous: 1) }.isEmpty)
        #expect(
            Self.standsOut { ($0.synchronousCommit, $0.standbys) = ("local", .init(names: "b", connected: 1, synchronous: 1)) }
                == ["warning commitNotSynchronous"])
    }

    /// The setting, the number of connected standbys, the number of synchronous ones, whether the login may see which ones are, and the
    /// expected findings.
    @Test(arguments: [
        ("b", 0, 0, true, ["error standbyMissing"]), ("b", 1, 0, true, ["error standbyMissing"]), ("b", 1, 1, true, []),
        ("b", 0, 0, false, ["error standbyMissing"]), ("b", 1, 0, false, ["note notPermitted"]),
        ("ANY 2 (b, c, d)", 1, 1, true, ["error standbyMissing"]), ("ANY 2 (b, c, d)", 1, 0, false, ["error standbyMissing"]),
        ("first 2 (b, c)", 2, 2, true, []), ("2 (b, c)", 2, 0, false, ["note notPermitted"]), ("b, c", 1, 1, true, []),
    ])
    func commitsThatWaitAreAnError(names: String, connected: Int, synchronous: Int, areSeen: Bool, expected: [String]) {
        var durability = Durability()
        durability.standbys = SynchronousStandbys(names: names, connected: connected, synchronous: synchronous, areSeen: areSeen)
        #expect(Self.standsOut { $0.standbys = durability.standbys } == expected)
        #expect(durability.findings.contains { $0.level == .ok } == expected.isEmpty, "green only if it is proven")
    }

    @Test func theNumberOfMissingStandbysIsNamed() {
        let all = "every commit waits: synchronous_standby_names asks for"
        #expect(SynchronousStandbys(names: "b").words == "\(all) 1 standby, and none is connected")
        let one = SynchronousStandbys(names: "ANY 2 (b, c)", connected: 1, synchronous: 1)
        #expect(one.words == "\(all) 2 standbys, and only 1 of them is connected")
    }

    /// The roles leave `local`, so their commits do not wait.
    @Test func commitsThatAreOnlyLocalDoNotWait() {
        #expect(
            Self.standsOut { ($0.synchronousCommit, $0.standbys) = ("local", SynchronousStandbys(names: "b")) }
                == ["warning commitNotSynchronous"])
    }
}
