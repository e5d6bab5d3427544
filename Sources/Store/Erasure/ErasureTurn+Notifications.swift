import TidingsContracts
import TidingsCore
import TidingsPostgres

/// The notifications of an erasure: those of the person, and then those of other people that name the person.
extension ErasureTurn {
    /// Takes a page of notifications. Ends their deliveries that no worker holds, and deletes the notifications whose deliveries have all
    /// ended. A delivery in the hands of a worker is left to the next pass: it ends within seconds, or its lease ends.
    func eraseNotifications() async throws -> RunningErasure.Outcome {
        let ids = try await transaction.query(nextIDs).rows.map { try $0.decode(NotificationID.self) }
        guard let last = ids.last else {
            // A pass is over. The step is done when a pass left nothing behind.
            return RunningErasure.Outcome(then: erasure.leftBehind == 0 ? .next : .wait("calls"))
        }
        // Locks the notifications in the order of their ids, as an escalation does. Nothing starts a delivery of them until the commit.
        let page = try await transaction.query(
            """
            select n.id, n.tenant, n.recipient_id, n.source, n.event_id, n.planned from tidings.notifications n
            where \(Self.isOne(of: ids, "n.id")) order by n.id for update
            """
        ).rows.map(ErasedNotification.init)
        let pending = try await unended(page)
        var busy: Set<NotificationID> = []
        var ended = 0
        if !pending.isEmpty {
            ended = try await endWaiting(pending)
            busy = Set(try await unended(pending).map(\.id))
        }
        var counts = try await delete(page.filter { !busy.contains($0.id) })
        _ = try await transaction.query(
            """
            delete from tidings.erasure_mentions where erasure = \(erasure.id.uuid)
                and notification_id = any(\(ids.filter { !busy.contains($0) }.uuids))
            """)
        counts["deliveries_ended"] = ended
        return RunningErasure.Outcome(
            counts: counts, then: .again(position: "\(last)", leftBehind: erasure.leftBehind + busy.count))
    }

    /// The ids of the next notifications of the person, and of those that tell of the person.
    private var nextIDs: SQL {
        """
        select id from (
            (select n.id from tidings.notifications n
            where n.recipient_id = \(person.id) and n.tenant = \(person.tenant) and n.id > \(startID)
            order by n.id limit \(Store.erasureNotifications))
            union
            (select m.notification_id from tidings.erasure_mentions m where m.erasure = \(erasure.id.uuid) and m.notification_id > \(startID)
            order by m.notification_id limit \(Store.erasureNotifications))
        ) found order by id limit \(Store.erasureNotifications)
        """
    }

    /// The notifications with a planned delivery that has not ended. Locks the ended deliveries, because an operator's retry, and a worker
    /// that corrects a releaser's guess, move such a delivery back to `due` without a lock of its notification.
    private func unended(_ notifications: [ErasedNotification]) async throws -> [ErasedNotification] {
        guard !notifications.isEmpty else { return [] }
        let result = try await transaction.query(
            """
            select ended.notification_id, count(*) from (
                select d.notification_id from tidings.deliveries d
                where \(Self.isOne(of: notifications.map(\.id), "d.notification_id"))
                order by d.notification_id, d.ordinal for update
            ) ended group by ended.notification_id
            """)
        var ended: [NotificationID: Int] = [:]
        for row in result.rows {
            let (id, count) = try row.decode((NotificationID, Int).self)
            ended[id] = count
        }
        return notifications.filter { ended[$0.id, default: 0] < $0.planned }
    }

    /// A constant range of ids beside the list limits a statement to the partitions of their days.
    static func isOne(of ids: [NotificationID], _ column: SQL) -> SQL {
        """
        \(column) = any(\(ids.uuids)) and \(column) between \(ids.min().map(\.uuid)) and \(ids.max().map(\.uuid))
        """
    }

    // MARK: Deliveries that wait

    /// Ends the deliveries in `due`, and those in packs that no worker holds. A pack is locked first, in a statement of its own: the next
    /// one then sees whether a worker has claimed it. Returns the number of ended deliveries.
    private func endWaiting(_ notifications: [ErasedNotification]) async throws -> Int {
        let ids = notifications.map(\.id).uuids
        let ended = try await transaction.query(.value(Self.endDue(ids), as: Int.self))
        let packs = try await transaction.query(
            .rows("select p.id from tidings.packs p where p.notification_ids && \(ids) order by p.id for update") {
                try $0.decode(PostgresUUID.self)
            })
        guard !packs.isEmpty else { return ended }
        var trip = RoundTrip()
        let packed = trip.ask(.value(Self.endPacked(ids, in: packs), as: Int.self))
        trip.run("delete from tidings.packs where id = any(\(packs)) and cardinality(notification_ids) = 0")
        return ended + (try await transaction.send(trip)[packed])
    }

    private static let reason: SQL = "'recipientErased'"

    private static func endDue(_ ids: [PostgresUUID]) -> SQL {
        """
        with gone as (
            delete from tidings.due where notification_id = any(\(ids)) returning *
        ), ended as (
            \(EndedRow.insert(from: "gone", setting: [.state: "'suppressed'", .reason: reason, .attempts: "attempt - 1"]))
            returning tenant, channel, state, reason
        ), counted as (
            \(TallyRows.insertEnded("ended"))
        )
        select count(*) from ended
        """
    }

    /// A parked pack, whose lease never ends, belongs to no worker any more.
    private static func endPacked(_ ids: [PostgresUUID], in packs: [PostgresUUID]) -> SQL {
        """
        with free as (
            select * from tidings.packs where id = any(\(packs)) and (claimed_at is null or lease_until = 'infinity')
        ), member as (
            select m.notification_id, m.ordinal, m.attempt, n.tenant, p.channel, p.provider
            from free p cross join lateral unnest(p.notification_ids, p.ordinals, p.attempts) as m(notification_id, ordinal, attempt)
            join lateral (select tenant from tidings.notifications where id = m.notification_id limit 1) n on true
            where m.notification_id = any(\(ids))
        ), ended as (
            \(EndedRow.insert(
                from: "member", setting: [.endpoint: "null", .state: "'suppressed'", .reason: reason, .attempts: "attempt - 1"]))
            returning tenant, channel, state, reason
        ), counted as (
            \(TallyRows.insertEnded("ended"))
        ), shrunk as (
            update tidings.packs p set (notification_ids, ordinals, attempts) = (
                select coalesce(array_agg(m.id order by m.position), '{}'), coalesce(array_agg(m.ordinal order by m.position), '{}'),
                    coalesce(array_agg(m.attempt order by m.position), '{}')
                from unnest(p.notification_ids, p.ordinals, p.attempts) with ordinality as m(id, ordinal, attempt, position)
                where m.id <> all(\(ids))
            ) from free f where p.id = f.id
        )
        select count(*) from ended
        """
    }

    // MARK: Rows

    /// Deletes notifications with everything about them, and keeps their ids. Returns the number of deleted rows by table.
    private func delete(_ notifications: [ErasedNotification]) async throws -> [String: Int] {
        guard !notifications.isEmpty else { return [:] }
        let ids = notifications.map(\.id)
        var trip = RoundTrip(running: [Self.keepIDs(notifications)])
        var deleted: [(place: String, count: Ticket<Int>)] = []
        for table in tables {
            guard case .deletesWithNotification(let column) = table.erasure else { continue }
            let deletion: SQL = "delete from tidings.\(unsafe: table.name) r where \(Self.isOne(of: ids, "r.\(unsafe: column)"))"
            deleted.append((table.name, trip.ask(.count(deletion))))
        }
        deleted.append(("notifications", trip.ask(.count("delete from tidings.notifications r where \(Self.isOne(of: ids, "r.id"))"))))
        let found = try await transaction.send(trip)
        var counts: [String: Int] = [:]
        // For the devices of other people. The devices of the person come in a step of their own.
        let others = notifications.filter { $0.person != person }.map(\.id)
        if !others.isEmpty {
            let requests: SQL = "r.notification_id = any(\(others.uuids))"
            counts["local_requests"] = try await forgetRequests(requests, of: requests)
        }
        for (place, count) in deleted { counts[place] = try found[count] }
        counts["inbox"] = try await deleteEntries(
            notifications.map { EntryKey(tenant: $0.person.tenant, recipient: $0.person.id, id: $0.id) })
        return counts
    }

    /// A reservation may have another id than the notification of its key, if the event came another way too.
    private static func keepIDs(_ notifications: [ErasedNotification]) -> SQL {
        """
        with promised as (
            delete from tidings.reservations where id = any(\(notifications.map(\.id).uuids)) or key = any(\(notifications.map(\.key.uuid)))
            returning id, tenant
        )
        insert into tidings.erased_notifications (id, tenant, erased_at)
        select id, tenant, (select tidings.clock()) from (
            select * from \(notifications.relation("gone", [Column("id", \.id), Column("tenant", \.person.tenant)]))
            union select id, tenant from promised) erased
        order by id on conflict do nothing
        """
    }
}

/// A notification that an erasure deletes.
struct ErasedNotification {
    let id: NotificationID
    let person: RecipientKey
    /// The idempotency key of its event.
    let key: Digest128
    let planned: Int

    init(_ row: PostgresRow) throws {
        let (id, tenant, recipient, source, event, planned) = try row.decode((NotificationID, String, String, String, String, Int16).self)
        self.id = id
        self.planned = Int(planned)
        person = RecipientKey(tenant: tenant, id: recipient)
        var keys = IntentKey(tenant: tenant, source: source, id: event)
        key = keys.key(for: recipient)
    }
}
