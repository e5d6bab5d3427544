import TidingsPostgres

extension PostgresConfiguration {
    /// The configuration of a test's own session. Its limits are those of the product, for the speed of this machine.
    static func patient(url: String) throws -> PostgresConfiguration {
        var configuration = try PostgresConfiguration(url: url)
        configuration.connectTimeout = configuration.connectTimeout.patient
        configuration.statementTimeout = configuration.statementTimeout.patient
        return configuration
    }
}
