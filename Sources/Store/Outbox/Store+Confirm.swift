package import TidingsCore
import TidingsPostgres

extension Store.Outbox {
    /// Records that the broker confirmed these packs.
    ///
    /// A locked pack is skipped, because the worker that holds it needs no confirm. A pack that stays claimed for long is recorded anyway,
    /// because operators would otherwise see it as unconfirmed.
    package func markConfirmed(_ packs: [PackID]) async throws {
        guard !packs.isEmpty else { return }
        _ = try await pool.query(
            """
            update tidings.packs set confirmed_at = (select tidings.clock()) where id = any(array(
                select id from tidings.packs where id = any(\(packs.uuids)) and confirmed_at is null for update skip locked))
            """)
    }
}
