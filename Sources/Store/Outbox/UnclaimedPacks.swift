import TidingsContracts
import TidingsPostgres

/// Packs of the channels `inApp` and `local`. No worker claims such a pack: one statement takes it and settles it.
enum UnclaimedPacks {
    /// The first two parts of a `with`. `taken` deletes those packs that still exist. `member` has a row for each delivery in them: a
    /// cancelled delivery has left its pack and has no row.
    static func take(_ packs: [Pack]) -> SQL {
        """
        taken as (
            delete from tidings.packs where id = any(\(packs.map(\.id).uuids)) and claimed_at is null
            returning id, notification_ids, ordinals, provider, lane
        ), member as materialized (
            select taken.id as pack, taken.provider, taken.lane, m.notification_id, m.ordinal
            from taken cross join lateral unnest(taken.notification_ids, taken.ordinals) as m(notification_id, ordinal)
        )
        """
    }
}
