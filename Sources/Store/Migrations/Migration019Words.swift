extension Migration {
    /// Says of two views what they have shown since their rows are found and forgotten in other ways.
    static let words = Migration(
        number: 19, name: "words", kind: .expand,
        sql: #"""
            comment on view tidings_ops.notifications is
                'One row for each accepted intent and recipient. Indexed filters: notification_id, recipient_id, idempotency_key.';
            comment on view tidings_ops.workers is
                'Every process that announced itself within twice the retention; lost after 30 seconds without a heartbeat.';
            """#)
}
