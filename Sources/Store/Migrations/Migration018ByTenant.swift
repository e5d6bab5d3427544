extension Migration {
    /// Nobody asks by tenant and person any more. A step of its own, because it locks what the step before only keeps from being written.
    static let byTenant = Migration(
        number: 18, name: "byTenant", kind: .contract,
        sql: #"""
            drop index tidings.notifications_tenant_recipient_id_id_idx;
            """#)
}
