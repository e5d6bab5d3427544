import TidingsCore
import TidingsPostgres

/// A person was erased, so nothing of the person may be stored: no device, no preference. See ``Store/Erasures/readmit(_:by:)``.
public struct RecipientErased: Error, Sendable, Hashable, CustomStringConvertible {
    public init() {}

    public var description: String { "the person was erased" }
}

/// The result of a request to readmit a person.
public enum Readmission: Sendable, Hashable {
    /// The person may be stored again.
    case readmitted
    /// The person has no tombstone: nothing was to do.
    case notErased
    /// The erasure of the person runs. Only a finished one can be followed by a readmission.
    case running
}

extension Store.Erasures {
    /// Ends the tombstone of an erased person before its time, so that the person may be stored again. Nothing else ends it early: a
    /// registration of a device is no proof that the person wants to return, because an app that was not told of the erasure repeats it.
    ///
    /// Erased rows stay erased, and an event that was accepted or dropped before stays a duplicate. An event that is still on its way
    /// is accepted from now on, also if it was published before the erasure.
    ///
    /// - Parameter author: the key or the user who asks. It is kept with the erasure.
    public func readmit(_ person: RecipientKey, by author: String) async throws -> Readmission {
        try await pool.transaction(retryAmbiguous: true, isolation: .readCommitted) { transaction in
            var trip = RoundTrip(running: [Self.lockErasures(of: person)])
            let tombstone = trip.ask(
                .first(
                    """
                    select t.erasure, exists (select from tidings.erasures e where e.id = t.erasure and e.state = 'running')
                    from tidings.erased_people t where t.person_hash = tidings.person_hash(\(person.tenant), \(person.id))
                    """
                ) { try $0.decode((NotificationID, Bool).self) })
            guard let (erasure, isRunning) = try await transaction.send(trip)[tombstone] else { return .notErased }
            if isRunning { return .running }
            try await transaction.pipeline([
                "delete from tidings.erased_people where person_hash = tidings.person_hash(\(person.tenant), \(person.id))",
                """
                update tidings.erasures set readmitted_at = tidings.clock(), readmitted_by = \(author) where id = \(erasure.uuid)
                """,
            ])
            return .readmitted
        }
    }
}
