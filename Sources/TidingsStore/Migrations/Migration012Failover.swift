extension Migration {
    /// Keeps the number 12 for the failover of market strategies.
    static let failover = Migration(number: 12, name: "failover", kind: .expand, sql: "select")
}
