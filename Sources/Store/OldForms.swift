public import TidingsContracts
package import TidingsCore
package import TidingsPostgres
import TidingsTimeZones

// The forms that answers had before statements knew what their answers mean. They go when the last statement has moved.

extension Store {
    package func asPerson(_ person: RecipientKey, _ statements: [SQL], asProof isProof: Bool = false) async throws -> [PostgresResult] {
        Array(try await pool.pipeline([Self.beginPerson(person)] + statements, asProof: isProof).dropFirst())
    }

    var clockQuery: SQL {
        timelines?.current == nil ? "select tidings.clock(), null::bigint" : "select tidings.clock(), \(PostgresTimeline.expression)"
    }

    func readClock(_ row: PostgresRow) throws -> Timestamp {
        let (now, number) = try row.decode((Timestamp, Int?).self)
        if let number, let timelines, !timelines.isCurrent(UInt32(truncatingIfNeeded: number)) {
            throw PostgresError.oldTimeline("the server is on timeline \(number), which was not judged yet")
        }
        return now
    }
}

extension Tombstones {
    /// Returns a row for each of these people that is erased: tenant and recipient.
    static func among(_ people: some Collection<RecipientKey>) -> SQL {
        """
        select asked.tenant, asked.id from unnest(\(people.map(\.tenant)), \(people.map(\.id))) as asked(tenant, id)
        where \(isErased(tenant: "asked.tenant", recipient: "asked.id"))
        """
    }

    /// Reads the rows of ``among(_:)``.
    static func decode(_ result: PostgresResult) throws -> Set<RecipientKey> {
        Set(
            try result.rows.map { row in
                let (tenant, id) = try row.decode((String, String).self)
                return RecipientKey(tenant: tenant, id: id)
            })
    }

    /// The first statements of a transaction that stores something of a person. It must be of the isolation level read committed.
    static func look(for person: RecipientKey) -> [SQL] { [beginWriting, among([person])] }

    /// Throws ``RecipientErased`` if the statements of ``look(for:)``, which `answers` begins with, have found the person. The transaction
    /// then rolls back whatever else it did.
    static func refuse(_ answers: [PostgresResult]) throws(RecipientErased) {
        if !answers[1].rows.isEmpty { throw RecipientErased() }
    }
}

extension FactsQuery {
    static func sql(for recipients: Set<RecipientKey>) -> SQL {
        let keys = Array(recipients)
        return """
            select r.tenant, r.id, r.time_zone, r.quiet_start, r.quiet_end, r.disabled_channels, r.disabled_categories, r.enabled_types,
                r.disabled_types, r.market, r.changed_at, e.id as endpoint, e.channel, e.provider, e.address, e.permission,
                e.gone_at is not null as is_gone, e.market as endpoint_market
            from unnest(\(keys.map(\.tenant)), \(keys.map(\.id))) as asked(tenant, id)
            join tidings.recipients r on r.tenant = asked.tenant and r.id = asked.id
            left join tidings.endpoints e on e.tenant = r.tenant and e.recipient_id = r.id
            order by r.tenant, r.id, e.id
            """
    }

    static func decode(_ result: PostgresResult, zones: TimeZoneDatabase, around now: Timestamp) throws -> [RecipientKey: RecipientFacts] {
        try self.facts(in: result.rows, zones: zones, around: now)
    }
}

extension InboxWrite {
    /// Locks the inboxes of some people until the end of the transaction. Every transaction locks inboxes in the order of their keys.
    static func lock(of tenants: [String], _ recipients: [String]) -> SQL {
        """
        select b.position from (
            select distinct * from unnest(\(tenants), \(recipients)) as told(tenant, recipient_id)
        ) told join tidings.inboxes b on b.tenant = told.tenant and b.recipient_id = told.recipient_id
        order by b.tenant, b.recipient_id for update of b
        """
    }
}

extension InboxArrivals {
    init(ids: [PostgresUUID], tenants: [String], recipients: [String]) {
        self.init(ids.indices.map { EntryKey(tenant: tenants[$0], recipient: recipients[$0], id: NotificationID(ids[$0])) })
    }
}

extension Store {
    static func removeInboxes(among tenants: [String], _ recipients: [String]) -> SQL {
        removeInboxes(among: zip(tenants, recipients).map { RecipientKey(tenant: $0, id: $1) })
    }

    package func storeAsPerson(_ person: RecipientKey, _ statements: [SQL]) async throws -> [PostgresResult] {
        try await pool.transaction(retryAmbiguous: true, isolation: .readCommitted) { transaction in
            let answers = try await transaction.pipeline(Tombstones.look(for: person) + [Self.beginPerson(person)] + statements)
            try Tombstones.refuse(answers)
            return Array(answers.dropFirst(3))
        }
    }
}
