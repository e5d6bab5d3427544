import TidingsContracts
import TidingsCore
import TidingsPostgres

/// Rows of `tidings.packs`: the packs that are committed and not settled.
struct PackRows {
    let packs: [Pack]

    /// Nil if there is nothing to insert. The members of a pack are passed as array literals, because `unnest` flattens nested arrays.
    func insert(decidedAt now: Timestamp) -> SQL? {
        guard !packs.isEmpty else { return nil }
        let members = packs.map { pack in Self.literal(pack.entries.lazy.map(\.notificationID.description)) }
        let ordinals = packs.map { pack in Self.literal(pack.entries.lazy.map { String($0.ordinal) }) }
        let attempts = packs.map { pack in Self.literal(pack.entries.lazy.map { String($0.attempt) }) }
        return """
            insert into tidings.packs (id, channel, provider, lane, notification_ids, ordinals, attempts, decided_at)
            select id, channel, provider, lane, members::uuid[], ordinals::smallint[], attempts::smallint[], \(now.timestamptz)
            from unnest(\(packs.map(\.id).uuids), \(packs.map(\.channel.rawValue)), \(packs.map(\.provider)), \(packs.map(\.lane.rawValue)),
                \(members), \(ordinals), \(attempts)) as given(id, channel, provider, lane, members, ordinals, attempts)
            """
    }

    private static func literal(_ elements: some Sequence<String>) -> String {
        "{" + elements.joined(separator: ",") + "}"
    }
}
