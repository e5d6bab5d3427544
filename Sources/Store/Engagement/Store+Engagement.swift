import TidingsCore
import TidingsPostgres

extension Store {
    /// Events of one person that are stored in a day of UTC. They are three events for each of three hundred notifications.
    public static let engagementPerDay = 1_000
    /// The age up to which the time of a device counts. An app may have been offline for as long.
    package static let engagementOldest = Duration.seconds(30 * 86_400)
    /// The time by which the clock of a device may be ahead. Its time then counts as now.
    package static let engagementAhead = Duration.seconds(300)
}

extension Store.Engagement {
    /// Stores events of a person, each once however often it comes, and counts them.
    ///
    /// All events are one transaction. Requests of one person wait for each other, so the limit of a day is exact. Nothing is stored of an
    /// erased person.
    ///
    /// - Parameter defaultMarket: the market of a person who has none (``TidingsCore/Catalogue/defaultMarket``).
    public func record(
        _ events: [EngagementEvent], of person: RecipientKey, defaultMarket: String
    ) async throws -> EngagementResult {
        guard !events.isEmpty else { return .stored([]) }
        // Once for all tries of the transaction: a key must not change if a try goes on after midnight.
        let now = clock.now()
        let keys = events.map { $0.key(at: now) }
        do {
            // Read committed: a request that waited for another one of the person must see its events instead of failing.
            let fresh = try await pool.transaction(retryAmbiguous: true, isolation: .readCommitted) { transaction -> Set<EngagementKey>? in
                var look = RoundTrip()
                let isErased = look.lookForTombstone(of: person)
                look.run(Store.beginPerson(person))
                let factsOfEvents = look.ask(.rows(EngagementRows.facts(of: events, by: person), EngagementFacts.init))
                let found = try await transaction.send(look)
                if try found[isErased] { return nil }
                let rows = EngagementRows(events, keys, try found[factsOfEvents], person: person, defaultMarket: defaultMarket)
                var change = RoundTrip()
                let usedBefore = change.ask(.value(rows.openDay, as: Int32.self))
                let added = change.ask(.rows(rows.insert, EngagementKey.init))
                let written = try await transaction.send(change)
                let (used, stored) = (try written[usedBefore], try written[added])
                guard Int(used) + stored.count <= Store.engagementPerDay else { throw EngagementDayIsFull() }
                if !stored.isEmpty { _ = try await transaction.pipeline([rows.count(stored), rows.tally(stored)]) }
                return Set(stored)
            }
            guard var unseen = fresh else { return .erased }
            return .stored(keys.map { unseen.remove($0) != nil })
        } catch is EngagementDayIsFull {
            return .dayIsFull(until: Timestamp(seconds: (now.wholeSeconds / 86_400 + 1) * 86_400))
        }
    }
}

/// Rolls the transaction back.
private struct EngagementDayIsFull: Error {}

extension EngagementKey {
    fileprivate init(_ row: PostgresRow) throws {
        let (notification, hash) = try row.decode((PostgresUUID, PostgresUUID).self)
        self.init(notification: NotificationID(notification), hash: .init(hash))
    }
}
