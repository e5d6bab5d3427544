import Foundation
import Testing
import TidingsJSON
import TidingsPostgres
import TidingsTestSupport
import TidingsTimeZones

/// Zone data may be missing, vanish and return. No person is treated as living in UTC meanwhile.
@Suite struct TimeZoneTests {
    private static let zone = "Asia/Kathmandu"

    @Test func aDeliveryThatNeedsAZoneWaitsForIt() async throws {
        try await withZones { zones in
            let variables = HealthClient.variables.merging(["TZDIR": zones.path]) { $1 }
            try await withPipeline(variables: variables) { pipeline in
                let health = try await HealthClient(of: pipeline.roles)
                try await Self.expect(health, isReady: true)
                try await setQuietHoursOfLater("sleeper", pipeline)
                #expect(try await pipeline.system.tidings("recipient", "set", "owl", "--time-zone", Self.zone).exitCode == 0)
                await pipeline.publish(event(id: "before", type: "social", to: "sleeper"), key: "social.social")
                #expect(try await pipeline.outcome(of: "before") == [Ended("inApp", "delivered", "delivered")])

                try zones.remove(Self.zone)
                // The roles look at the zone data every few seconds.
                let isSeen = try await withoutPlace { try await pipeline.roles.says("zone data has changed") }
                try #require(isSeen, "\(pipeline.roles.errorsSoFar)")
                try await expectOnlyWhatNeedsTheZoneWaits(pipeline, zones)

                try zones.hide()
                let missing = try await withoutPlace { try await Self.expect(health, isReady: false) }
                #expect(missing.contains("time zones: there is no zone data in"), "\(missing)")

                try zones.restore()
                try zones.install(Self.zone)
                _ = try await withoutPlace { try await Self.expect(health, isReady: true) }
                try await pipeline.shiftClock(by: "15 minutes")
                #expect(try await pipeline.outcome(of: "waits") == [Ended("inApp", "delivered", "delivered")])
                #expect(pipeline.roles.errorsSoFar.split(separator: "\n").count { $0.contains(Self.zone) } == 1, "once a process")
                try await pipeline.expectSound()
            }
        }
    }

    private func expectOnlyWhatNeedsTheZoneWaits(_ pipeline: Pipeline, _ zones: ZoneFolder) async throws {
        let system = pipeline.system
        await pipeline.publish(event(id: "waits", type: "social", to: "sleeper"), key: "social.social")
        await pipeline.publish(event(id: "exempt", to: "sleeper"))
        await pipeline.publish(event(id: "awake", type: "social", to: "owl"), key: "social.social")
        #expect(try await pipeline.held("waits") == [Ended("inApp", "held", "timeZoneUnknown")])
        #expect(try await pipeline.outcome(of: "exempt").contains(Ended("inApp", "delivered", "delivered")))
        #expect(try await pipeline.outcome(of: "awake") == [Ended("inApp", "delivered", "delivered")])
        let isLogged = try await pipeline.roles.says(Self.zone)
        #expect(isLogged, "\(pipeline.roles.errorsSoFar)")

        let environment = system.environment.merging(["TZDIR": zones.path]) { $1 }
        let why = try await TestProcess([TestSystem.binary, "why", "waits"], environment: environment).finish()
        #expect(why.output.contains("timeZoneUnknown") && why.output.contains("(zone unknown)"), "\(why.output)")
        #expect(why.output.contains("time zone \(Self.zone) of the person is unknown on this machine"), "\(why.output)")

        // The delivery is judged again in vain. It keeps waiting, and its history does not grow.
        let decided = try await system.count(Self.decisions)
        try await pipeline.shiftClock(by: "15 minutes")
        let waitsAgain = try await system.eventually(
            within: Pipeline.patience,
            "select count(*) from tidings_ops.deliveries where reason_code = 'timeZoneUnknown' and due_at > tidings.clock()"
        ) { $0 == 1 }
        #expect(waitsAgain, "\(pipeline.roles.errorsSoFar)")
        #expect(try await system.count(Self.decisions) == decided)
    }

    private static let decisions: SQL = "select count(*) from tidings_ops.decisions where reason_code = 'timeZoneUnknown'"

    /// Sets quiet hours that begin six hours from now in the person's time zone.
    private func setQuietHoursOfLater(_ person: String, _ pipeline: Pipeline) async throws {
        let window = try await pipeline.system.query(
            """
            select to_char((tidings.clock() + interval '6 hours') at time zone \(Self.zone)::text, 'HH24:MI') || '-'
                || to_char((tidings.clock() + interval '8 hours') at time zone \(Self.zone)::text, 'HH24:MI')
            """)
        let text = try #require(window.rows.first).decode(String.self)
        let result = try await pipeline.system.tidings("recipient", "set", person, "--time-zone", Self.zone, "--quiet-hours", text)
        #expect(result.exitCode == 0, "\(result.errors)")
    }

    @discardableResult
    private static func expect(_ health: HealthClient, isReady: Bool) async throws -> String {
        var text = ""
        let became = try await eventually {
            let answer = try await health.ask("/health/ready")
            text = answer.text
            return answer.status == (isReady ? 200 : 503)
        }
        #expect(became, "\(text)")
        return text
    }

    /// Without zone data the commands neither start a server nor connect to one. Connecting to port 1 would give exit code 69.
    @Test(arguments: [
        ["run", "router"], ["run", "deliver", "inApp"], ["run", "release"], ["run", "all"], ["dev", "--home", "/dev/null/zones"],
        ["simulate", "social", "--to", "p"], ["device", "plan", "d"], ["recipient", "set", "p", "--time-zone", "Asia/Tokyo"],
    ])
    func noCommandJudgesIfZoneDataIsMissing(_ arguments: [String]) async throws {
        let result = try await CommandLineTests.run(arguments, Self.nowhere)
        #expect(result.exitCode == 78 && result.output.isEmpty, "\(result.errors)")
        #expect(result.errors.contains("there is no zone data in /nonexistent") && result.errors.contains("tzdata"), "\(result.errors)")
    }

    @Test func doctorAsksForZoneData() async throws {
        let result = try await CommandLineTests.run(["doctor"], Self.nowhere)
        #expect(result.exitCode == 1)
        #expect(result.output.contains("✗ time zones: there is no zone data in /nonexistent"), "\(result.output)")
        let healthy = try await CommandLineTests.run(["doctor"], Self.nowhere.merging(["TZDIR": ""]) { $1 })
        #expect(healthy.output.contains("✓ time zones"), "\(healthy.output)")
    }

    @Test func doctorNamesOldZonesThatAreMissing() async throws {
        try await withZones { zones in
            let result = try await CommandLineTests.run(["doctor"], Self.nowhere.merging(["TZDIR": zones.path]) { $1 })
            #expect(result.output.contains("✓ time zones: zone data in \(zones.path)"), "\(result.output)")
            #expect(result.output.contains("! time zones: ") && result.output.contains("report: US/Eastern, "), "\(result.output)")
            #expect(result.output.contains("tzdata-legacy"), "\(result.output)")
        }
    }

    private static let nowhere = [
        "TIDINGS_DATABASE_URL": "postgres://nobody@127.0.0.1:1/none", "TIDINGS_AMQP_URL": "amqp://guest:guest@127.0.0.1:1/",
        "TZDIR": "/nonexistent",
    ]

    /// Half past six and half past seven in New York, in winter and in summer. Quiet hours end at seven. A clock with the offset of the
    /// present season would be wrong in one of the two seasons.
    @Test func simulateJudgesByTheClockOfItsMoment() async throws {
        try await withOwnSystem { system in
            let set = try await system.tidings(
                "recipient", "set", "ny", "--time-zone", "America/New_York", "--quiet-hours", "22:00-07:00")
            #expect(set.exitCode == 0, "\(set.errors)")
            for year in ["1990", "2020", "2045", "2300"] {
                for (moment, verdict) in [
                    ("01-10T11:30", "hold"), ("01-10T12:30", "send"), ("07-10T10:30", "hold"), ("07-10T11:30", "send"),
                ] {
                    // Both days lie well inside their season, under the rules before 2007 and after.
                    let plan = try await simulate(["social", "--to", "ny", "--at", "\(year)-\(moment):00Z"], system)
                    #expect(plan.first?["verdict"]?.stringValue == verdict, "\(year)-\(moment)")
                }
            }
            for moment in ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"] {
                let plan = try await simulate(["social", "--to", "ny", "--at", moment], system)
                #expect(plan.first?["reason_code"]?.stringValue != "timeZoneUnknown", "\(moment): \(plan)")
            }
            for (arguments, said) in [
                (["promotion", "--critical"], "criticalNotAllowed at /data/critical: the type promotion does not allow critical"),
                (["promotion", "--market", "nope"], "unknownMarket at /data/market: the catalogue has no market \"nope\""),
            ] {
                let result = try await CommandLineTests.run(["simulate", "--to", "ny"] + arguments, system.environment)
                #expect(result.exitCode == 65 && result.output.isEmpty && result.errors.contains(said), "\(result.errors)")
            }
        }
    }

    private func simulate(_ arguments: [String], _ system: TestSystem) async throws -> [JSON] {
        let result = try await CommandLineTests.run(["simulate"] + arguments + ["-o", "json"], system.environment)
        try #require(result.exitCode == 0, "\(arguments): \(result.errors)")
        return try JSON.parse(result.output).arrayValue ?? []
    }
}

/// A folder of zone data for one test, with the zones that the test needs.
private struct ZoneFolder {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("zones-\(UUID().uuidString)").path

    func install(_ name: String) throws {
        let file = URL(fileURLWithPath: path).appendingPathComponent(name)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(contentsOf: URL(fileURLWithPath: "\(TimeZoneDatabase.standardDirectory)/\(name)")).write(to: file, options: .atomic)
    }

    func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: "\(path)/\(name)") }

    func hide() throws { try FileManager.default.moveItem(atPath: path, toPath: path + "-away") }

    func restore() throws { try FileManager.default.moveItem(atPath: path + "-away", toPath: path) }
}

private func withZones(_ body: (ZoneFolder) async throws -> Void) async throws {
    let zones = ZoneFolder()
    defer { for path in [zones.path, zones.path + "-away"] { try? FileManager.default.removeItem(atPath: path) } }
    for name in ["Europe/Berlin", "Asia/Kathmandu", "UTC"] { try zones.install(name) }
    try await body(zones)
}
