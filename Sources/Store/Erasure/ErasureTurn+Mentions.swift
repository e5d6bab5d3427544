import TidingsContracts
import TidingsCore
import TidingsPostgres

/// The notifications of other people that tell of the erased person: only a module knows them.
extension ErasureTurn {
    /// Deletes the rows by which modules tell of the person, and the inbox entries of the notifications that told of it. Keeps the ids of
    /// these notifications for the next step. A notification that comes later is dropped by its router.
    func eraseMentions() async throws -> RunningErasure.Outcome {
        var mentions: [Mention] = []
        for statement in projections.forgetMentions(of: person, limit: Store.erasureBatch) {
            mentions += try await transaction.query(.rows(statement, Mention.init))
        }
        guard !mentions.isEmpty else { return RunningErasure.Outcome(then: .next) }
        var told: [(recipient: String, id: NotificationID)] = try await notifications(of: mentions)
        for mention in mentions { told += mention.ids.map { (recipient: mention.recipient, id: $0) } }
        _ = try await transaction.query(
            """
            insert into tidings.erasure_mentions (erasure, notification_id)
            select distinct \(erasure.id.uuid), id from unnest(\(told.map(\.id).uuids)) as told(id) order by id on conflict do nothing
            """)
        var outcome = RunningErasure.Outcome(then: .again(position: "", leftBehind: 0))
        outcome.counts["inbox"] = try await deleteEntries(
            told.map { EntryKey(tenant: person.tenant, recipient: $0.recipient, id: $0.id) })
        for mention in mentions { outcome.counts[mention.table, default: 0] += 1 }
        return outcome
    }

    /// The notifications of events, by their idempotency keys.
    private func notifications(of mentions: [Mention]) async throws -> [(recipient: String, id: NotificationID)] {
        var recipients: [Digest128: String] = [:]
        for mention in mentions {
            guard let event = mention.event else { continue }
            var keys = IntentKey(tenant: person.tenant, source: event.source, id: event.id)
            recipients[keys.key(for: mention.recipient)] = mention.recipient
        }
        guard !recipients.isEmpty else { return [] }
        let query: SQL = "select key, notification_id from tidings.idempotency_keys where key = any(\(recipients.keys.map(\.uuid)))"
        let found = try await transaction.query(.rows(query) { try $0.decode((PostgresUUID, NotificationID).self) })
        return found.compactMap { key, id in recipients[Digest128(key)].map { (recipient: $0, id: id) } }
    }
}

/// A deleted row of a module that told one person of another.
private struct Mention: Sendable {
    let table: String
    let recipient: String
    let ids: [NotificationID]
    /// The event that told of it too. Its notification is known by its idempotency key only.
    let event: (source: String, id: String)?

    init(_ row: PostgresRow) throws {
        let (table, recipient, ids, source, event) = try row.decode((String, String, [NotificationID], String?, String?).self)
        self.table = table
        self.recipient = recipient
        self.ids = ids
        if let source, let event { self.event = (source: source, id: event) } else { self.event = nil }
    }
}
