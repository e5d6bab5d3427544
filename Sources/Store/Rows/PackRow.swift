import TidingsContracts
import TidingsCore
import TidingsPostgres

/// A row of `tidings.packs`: a pack that is committed and not settled.
struct PackRow: TableRow {
    let pack: Pack
    let decidedAt: Timestamp

    static let table = Table<PackRow>(
        "tidings.packs",
        personal: [Column(arrayOf: "uuid", "notification_ids") { $0.pack.entries.map(\.notificationID.description) }],
        other: [
            Column("id", \.pack.id), Column("channel", \.pack.channel), Column("provider", \.pack.provider), Column("lane", \.pack.lane),
            Column(arrayOf: "smallint", "ordinals") { $0.pack.entries.map { String($0.ordinal) } },
            Column(arrayOf: "smallint", "attempts") { $0.pack.entries.map { String($0.attempt) } },
            Column("decided_at", \.decidedAt),
        ])

    /// Nil if there is nothing to insert.
    static func insert(packs: [Pack], decidedAt now: Timestamp) -> SQL? { insert(packs.map { PackRow(pack: $0, decidedAt: now) }) }
}
