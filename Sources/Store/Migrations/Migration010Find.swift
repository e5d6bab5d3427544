extension Migration {
    /// What `tidings find` needs to find a person by an index, whatever the tenant.
    static let find = Migration(
        number: 10, name: "find", kind: .expand,
        sql: #"""
            create index on tidings.recipients (id);
            """#)
}
