import TidingsCore
import TidingsPostgres

/// Changes of planned deliveries from `sent` or `delivered` to another state. Such a change is possible until the device has shown the
/// notification.
struct LocalMoves {
    private var moves: [(key: DeliveryKey, state: DeliveryState, reason: ReasonCode)] = []

    mutating func add(_ key: DeliveryKey, _ state: DeliveryState, _ reason: ReasonCode) {
        moves.append((key, state, reason))
    }

    /// The statements that move the deliveries. Empty if no delivery moves.
    ///
    /// A delivery past retention is skipped. The tally subtracts each moved delivery from its old state and adds it to its new state.
    var statements: [SQL] {
        guard !moves.isEmpty else { return [] }
        return [
            """
            with was as materialized (
                select told.*, d.tenant, d.old_state, d.old_reason
                from \(moves.relation("told", [
                    Column("notification_id", \.key.notificationID), Column(smallint: "ordinal", \.key.ordinal), Column("state", \.state),
                    Column("reason", \.reason),
                ]))
                cross join lateral (select d.tenant, d.state as old_state, d.reason as old_reason from tidings.deliveries d
                    where d.notification_id = told.notification_id and d.ordinal = told.ordinal and d.channel = 'local'
                        and d.state in ('sent', 'delivered') and d.state <> told.state limit 1 for update) d
            ), moved as (
                update tidings.deliveries d set state = was.state, reason = was.reason, ended_at = (select tidings.clock())
                from was where d.notification_id = was.notification_id and d.ordinal = was.ordinal
            )
            \(TallyRows.insertEnded(
                "(select tenant, 'local' as channel, state, reason from was) now_ended",
                undone: "(select tenant, 'local' as channel, old_state as state, old_reason as reason from was) ended_before"))
            """
        ]
    }
}
