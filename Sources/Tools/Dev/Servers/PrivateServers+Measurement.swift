/// Programs of the servers that measure them.
extension PrivateServers {
    /// Runs `pgbench` with a script against this database, and returns the transactions per second without the time of the connections.
    ///
    /// Each session has JIT off, as the sessions of Tidings.
    ///
    /// - Parameters:
    ///   - script: the path of a file that this user can read.
    ///   - sessions: connections, each with one transaction at a time.
    /// - Throws: ``PrivateServersError/commandFailed(command:status:output:)`` if the program is missing, fails or prints no figure.
    public func pgbench(script: String, sessions: Int, seconds: Int) async throws(PrivateServersError) -> Double {
        let database = database
        return try await OwnThread.run { () throws(PrivateServersError) -> Double in
            var command = database.client(
                "pgbench",
                [
                    "--no-vacuum", "--protocol=prepared", "--file=\(script)", "--client=\(sessions)",
                    "--jobs=\(min(sessions, Self.threads))",
                    "--time=\(seconds)", PrivatePostgres.databaseName,
                ])
            command.environment["PGOPTIONS"] = "-c jit=off"
            let output = try command.succeed(within: .seconds(seconds) + Self.patience)
            guard let rate = Self.rate(in: output) else {
                throw .commandFailed(command: "pgbench", status: 0, output: PrivateFile.trimmed(output))
            }
            return rate
        }
    }

    /// Threads of pgbench. One thread serves several sessions.
    private static let threads = 2
    /// The time of pgbench beside its measurement: connections, and the last transactions.
    private static let patience = Duration.seconds(60)

    /// The number in the line `tps = 3801.123456 (without initial connection time)`.
    static func rate(in output: String) -> Double? {
        let line = output.split(separator: "\n").first { $0.hasPrefix("tps = ") }
        return line.flatMap { Double($0.dropFirst("tps = ".count).prefix { $0 != " " }) }
    }
}
