import Testing
import TidingsTestSupport

/// Roles and commands work behind PgBouncer in transaction mode.
@Suite struct PoolerTests {
    /// Every command is a new client of the pooler. The pooler's sessions keep what the commands before it left in them.
    @Test(.enabled(if: PgBouncer.isInstalled))
    func everyCommandWorksAgainAndAgain() async throws {
        try await withOwnSystem { system in
            let pooler = try PgBouncer(before: system.databaseURL)
            let bounced = ["TIDINGS_DATABASE_URL": pooler.url(insteadOf: system.databaseURL)]
            try await Pipeline.startRoles(of: system, with: bounced)
            let environment = system.environment.merging(bounced) { _, new in new }
            let send = ["send", "orderUpdate", "--to", "uma", "--title", "T", "--wait", Pipeline.waitLimit]
            let questions = [
                ["status"], ["why", "round-0"], ["why", "uma"], ["find", "uma"], ["find", "round-0"],
                ["simulate", "orderUpdate", "--to", "uma"],
                ["doctor"], ["notification", "list"], ["notification", "list", "--recipient", "uma"], ["notification", "show", "round-0"],
                ["delivery", "list"], ["delivery", "list", "--state", "held"], ["rejected", "list"], ["dead", "list"],
                ["catalogue", "show"], ["catalogue", "history"], ["queue", "topology"], ["key", "list"],
                ["pause", "begin", "type", "orderUpdate", "--reason", "a test"], ["pause", "list"], ["resume", "type", "orderUpdate"],
                ["recipient", "set", "uma", "--time-zone", "UTC"], ["recipient", "show", "uma"],
                ["device", "register", "uma", "0a1b2c3d"], ["device", "list", "uma"],
                ["db", "plan"], ["db", "migrate"], ["db", "grant"], ["db", "verify"],
            ]
            for round in 0..<4 {
                for command in [send + ["--id", "round-\(round)"]] + questions {
                    let result = try await TestProcess([TestSystem.binary] + command, environment: environment).finish()
                    #expect(result.exitCode == 0, "round \(round) of \(command): \(result.output)\(result.errors)")
                }
            }
            withExtendedLifetime(pooler) {}
        }
    }
}
