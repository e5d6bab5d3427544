import TidingsCore
import TidingsPostgres

/// The inbox entries of an erasure. They are deleted under the locks of their inboxes, so that the counts of other people stay right.
extension ErasureTurn {
    /// Deletes inbox entries, and the inboxes that have no entry left. Returns the number of deleted entries.
    ///
    /// - Parameters:
    ///   - ids: the notification of each entry. Some entries may not exist.
    ///   - people: the person of each entry.
    func deleteEntries(_ ids: [PostgresUUID], of people: [RecipientKey]) async throws -> Int {
        let (tenants, recipients) = (people.map(\.tenant), people.map(\.id))
        let entries: SQL = """
            unnest(\(tenants), \(recipients), \(ids)) as told(tenant, recipient_id, notification_id)
            join tidings.inbox i on i.tenant = told.tenant and i.recipient_id = told.recipient_id
                and i.notification_id = told.notification_id
            """
        let answers = try await transaction.pipeline([
            InboxWrite.lock(of: tenants, recipients), InboxWrite.deletion(of: entries), Store.removeInboxes(among: tenants, recipients),
        ])
        return try answers[1].rows.first?.decode(Int.self) ?? 0
    }

    /// Deletes entries of the person that outlived their notifications. Returns the number of deleted entries: zero if there was none.
    func deleteOwnEntries() async throws -> Int {
        let entries: SQL = """
            (select * from tidings.inbox e where e.tenant = \(person.tenant) and e.recipient_id = \(person.id)
                limit \(Store.erasureBatch)) i
            """
        let answers = try await transaction.pipeline([
            InboxWrite.lock(of: person), InboxWrite.deletion(of: entries), Store.removeInboxes(among: [person.tenant], [person.id]),
        ])
        return try answers[1].rows.first?.decode(Int.self) ?? 0
    }
}
