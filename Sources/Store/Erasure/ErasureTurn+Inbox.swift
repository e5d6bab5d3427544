import TidingsCore
import TidingsPostgres

/// The inbox entries of an erasure. They are deleted under the locks of their inboxes, so that the counts of other people stay right.
extension ErasureTurn {
    /// Deletes inbox entries, and the inboxes that have no entry left. Returns the number of deleted entries.
    ///
    /// - Parameter keys: some of these entries may not exist.
    func deleteEntries(_ keys: [EntryKey]) async throws -> Int {
        let people = keys.map(\.person)
        let entries: SQL = """
            \(keys.relation("told", EntryKey.columns))
            join tidings.inbox i on i.tenant = told.tenant and i.recipient_id = told.recipient_id
                and i.notification_id = told.notification_id
            """
        var trip = RoundTrip(running: [InboxWrite.lock(of: people)])
        let deleted = trip.ask(.value(InboxWrite.deletion(of: entries), as: Int.self))
        trip.run(Store.Inbox.removeEmpty(among: people))
        return try await transaction.send(trip)[deleted]
    }

    /// Deletes entries of the person that outlived their notifications. Returns the number of deleted entries: zero if there was none.
    func deleteOwnEntries() async throws -> Int {
        let entries: SQL = """
            (select * from tidings.inbox e where e.tenant = \(person.tenant) and e.recipient_id = \(person.id)
                limit \(Store.erasureBatch)) i
            """
        var trip = RoundTrip(running: [InboxWrite.lock(of: person)])
        let deleted = trip.ask(.value(InboxWrite.deletion(of: entries), as: Int.self))
        trip.run(Store.Inbox.removeEmpty(among: [person]))
        return try await transaction.send(trip)[deleted]
    }
}
