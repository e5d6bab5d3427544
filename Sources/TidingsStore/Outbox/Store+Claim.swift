import TidingsCore
import TidingsPostgres
public import TidingsWire

extension Store {
    /// Seconds for which a claimed pack belongs to its worker. Longer than any provider's deadline, so that a worker that is alive never loses
    /// a pack while it waits; short enough that what a dead worker held is taken up again within half a minute.
    public static let leaseSeconds = 25

    /// The largest number on an app's icon; more are counted as this many.
    public static let largestBadge = 999

    /// Claims packs for `worker`, then reads what of them may be sent. One round trip, one commit.
    ///
    /// A pack is claimed once in its life: whoever asks again gets nothing of it. What a dead worker claimed comes back through
    /// ``recoverExpiredLeases(limit:catalogue:)``, never through a second claim.
    ///
    /// - Parameter badges: whether to count each person's unread notifications as well.
    public func claim(_ packs: [Pack], worker: String, badges: Bool = false) async throws -> PackClaims {
        let entries = packs.flatMap(\.entries)
        let answers = try await pool.pipeline([
            """
            update tidings.packs set claimed_at = (select tidings.clock()), claimed_by = \(worker),
                lease_until = (select tidings.clock()) + make_interval(secs => \(Double(Self.leaseSeconds)))
            where id = any(\(packs.map(\.id).uuids)) and claimed_at is null
            returning id, notification_ids, ordinals
            """,
            """
            select asked.notification_id, asked.ordinal, coalesce(r.changed_at > asked.decided_at, false), e.address, e.secrets,
                e.platform, e.environment, \(badges ? Self.unread : "null::integer")
            from unnest(\(entries.map(\.notificationID).uuids), \(entries.map { Int16($0.ordinal) }), \(entries.map(\.tenant)),
                \(entries.map(\.recipient)), \(entries.map(\.endpoint)), \(entries.map(\.decidedAt.timestamptz)))
                as asked(notification_id, ordinal, tenant, recipient_id, endpoint, decided_at)
            left join lateral (select r.changed_at from tidings.recipients r
                where r.tenant = asked.tenant and r.id = asked.recipient_id limit 1) r on true
            left join lateral (select e.address, e.secrets, e.platform, e.environment from tidings.endpoints e
                where e.tenant = asked.tenant and e.recipient_id = asked.recipient_id and e.id = asked.endpoint limit 1) e on true
            where r.changed_at > asked.decided_at or e.address is not null or \(badges)
            """,
            Self.clockQuery,
        ])
        var claims = PackClaims()
        for row in answers[0].rows {
            let (id, members, ordinals) = try row.decode((PostgresUUID, [PostgresUUID], [Int16]).self)
            claims.members[PackID(id)] = Set(zip(members, ordinals).map { DeliveryKey(NotificationID($0), Int($1)) })
        }
        for row in answers[1].rows {
            let (id, ordinal, changed) = (
                try row.decode(0, as: PostgresUUID.self), try row.decode(1, as: Int16.self), try row.decode(2, as: Bool.self)
            )
            let key = DeliveryKey(NotificationID(id), Int(ordinal))
            if changed { claims.outdated.insert(key) }
            if let address = try row.decode(3, as: String?.self) {
                claims.addresses[key] = EndpointAddress(
                    address: address, secrets: try row.decode(4, as: [String].self), platform: try row.decode(5, as: String?.self),
                    environment: try row.decode(6, as: String?.self))
            }
            if let badge = try row.decode(7, as: Int32?.self) { claims.badges[key] = Int(badge) }
        }
        if let row = answers[2].rows.first { claims.at = Timestamp(try row.decode(0, as: PostgresTimestamp.self)) }
        clock.correct(claims.at)
        return claims
    }

    /// Of the person `asked`, one more than the largest badge at most.
    private static let unread: SQL = """
        (select least(count(*), \(Int32(largestBadge)))::integer from (select from tidings.inbox i where i.tenant = asked.tenant
            and i.recipient_id = asked.recipient_id and i.read_at is null and i.dismissed_at is null limit \(Int64(largestBadge))) unread)
        """
}
