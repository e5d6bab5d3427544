import Testing

/// The promises of the units in `deploy/systemd` to an operator.
@Suite struct SystemdTests {
    @Test(arguments: ["router", "deliver", "release", "api"])
    func aFaultThatOnlyAPersonMendsIsNotTriedForEver(role: String) throws {
        let lines = try Repository.text("deploy/systemd/tidings-\(role)@.service").split(separator: "\n").map(String.init)
        #expect(lines.contains("RestartPreventExitStatus=64 65 77 78"))
        #expect(lines.contains { $0.hasPrefix("RestartSteps=") } && lines.contains { $0.hasPrefix("RestartMaxDelaySec=") })
        let failure = try Repository.text("Sources/Runtime/Output/Failure.swift")
        for code in ["usage = 64", "data = 65", "notPermitted = 77", "config = 78"] { #expect(failure.contains("case \(code)")) }
    }

    /// A process that somebody has broken into finds as little of the machine as possible.
    @Test(arguments: ["router", "deliver", "release", "api"]) func aProcessMayDoLittle(role: String) throws {
        let lines = Set(try Repository.text("deploy/systemd/tidings-\(role)@.service").split(separator: "\n").map(String.init))
        let walls: Set = [
            "NoNewPrivileges=yes", "CapabilityBoundingSet=", "ProtectSystem=strict", "ProtectHome=yes", "ProtectProc=invisible",
            "ProcSubset=pid", "PrivateUsers=yes", "MemoryDenyWriteExecute=yes", "SystemCallFilter=@system-service",
            "SystemCallFilter=~@privileged", "UMask=0077",
        ]
        #expect(walls.subtracting(lines).isEmpty)
        // Each role may have users of its own at the broker and at the database.
        #expect(lines.contains("EnvironmentFile=-/etc/tidings/\(role).env"))
    }

    @Test func deliverTakesItsChannelsFromTheEnvironment() throws {
        let unit = try Repository.text("deploy/systemd/tidings-deliver@.service")
        #expect(unit.contains("ExecStart=/usr/local/bin/tidings run deliver $DELIVER_CHANNELS\n"))
    }
}
