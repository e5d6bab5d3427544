extension Migration {
    /// A releaser takes from each provider what is due, and passes over a provider that has no room without a look at its rows.
    static let dueByProvider = Migration(
        number: 29, name: "dueByProvider", kind: .expand,
        sql: #"""
            create index if not exists due_by_provider on tidings.due (lane, channel, provider, due_at, notification_id, ordinal);
            """#)
}
