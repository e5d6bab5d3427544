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
                ["status"], ["why", "round-0"], ["find", "uma"], ["doctor"], ["notification", "list"], ["delivery", "list"],
                ["rejected", "list"], ["dead", "list"], ["catalogue", "history"], ["pause", "list"], ["key", "list"],
                ["recipient", "set", "uma", "--time-zone", "UTC"], ["recipient", "show", "uma"], ["device", "list", "uma"],
                ["db", "verify"],
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
