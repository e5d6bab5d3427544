import Testing

/// The promises of the units in `deploy/systemd` to an operator.
@Suite struct SystemdTests {
    @Test(arguments: ["router", "deliver", "release", "api"])
    func aFaultThatOnlyAPersonMendsIsNotTriedForEver(role: String) throws {
        let lines = try Repository.text("deploy/systemd/tidings-\(role)@.service").split(separator: "\n").map(String.init)
        #expect(lines.contains("RestartPreventExitStatus=64 65 77 78"))
        #expect(lines.contains { $0.hasPrefix("RestartSteps=") } && lines.contains { $0.hasPrefix("RestartMaxDelaySec=") })
        let failure = try Repository.text("Sources/Apps/Server/Output/Failure.swift")
        for code in ["usage = 64", "data = 65", "notPermitted = 77", "config = 78"] { #expect(failure.contains("case \(code)")) }
    }

    @Test func deliverTakesItsChannelsFromTheEnvironment() throws {
        let unit = try Repository.text("deploy/systemd/tidings-deliver@.service")
        #expect(unit.contains("ExecStart=/usr/local/bin/tidings run deliver $DELIVER_CHANNELS\n"))
    }
}
