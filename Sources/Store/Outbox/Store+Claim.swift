public import TidingsContracts
import TidingsCore
import TidingsPostgres

extension Store {
    /// The seconds for which a claimed pack belongs to its worker. They are longer than any provider's deadline (20 s), so that a living
    /// worker has time for a whole call. They are short enough that the deliveries of a dead worker are recovered within half a minute.
    public static let leaseSeconds = 25

    /// The longest time that the server works on a claim, including its wait for locks. A longer claim would leave too little of its lease
    /// for a call, so it fails and is tried again.
    package static let claimLimit = Duration.seconds(4)

    /// The largest number on an app's icon. Larger counts are shown as this number.
    public static let largestBadge = 999
}

extension Store.Outbox {
    /// Claims packs for `worker`, and reads the data needed to send them. This takes one round trip and one commit.
    ///
    /// A pack is claimed once in its life: a claim with another id gets nothing. If the answer is lost, the same claim again gets the pack
    /// and a new lease. The packs of a dead worker are recovered by ``Store/Due/recover(_:)``, never by a second claim.
    ///
    /// A worker acknowledges the message of a pack that is gone. So the answer is proof that the pack is settled.
    ///
    /// - Parameters:
    ///   - claim: the same for each try of this claim, and different for every other claim.
    ///   - badges: whether each person's unread notifications are counted as well.
    public func claim(_ packs: [Pack], worker: String, as claim: ClaimID, badges: Bool = false) async throws -> PackClaims {
        var claims = PackClaims(askedAt: .now)
        let entries = packs.flatMap(\.entries)
        var trip = RoundTrip()
        let claiming: SQL = """
            update tidings.packs set claimed_at = (select tidings.clock()), claimed_by = \(worker), claim = \(claim.uuid),
                lease_until = greatest(lease_until, (select tidings.clock()) + make_interval(secs => \(Double(Store.leaseSeconds))))
            where id = any(\(packs.map(\.id).uuids)) and (claimed_at is null or claim = \(claim.uuid))
            returning id, notification_ids, ordinals, claimed_at
            """
        let claimed = trip.ask(
            .rows(claiming) { row in
                let (id, members, ordinals, claimedAt) = try row.decode((PackID, [NotificationID], [Int16], Timestamp).self)
                return (id: id, members: Set(zip(members, ordinals).map { DeliveryKey($0, Int($1)) }), at: claimedAt)
            })
        let looking: SQL = """
            select asked.notification_id, asked.ordinal, coalesce(r.changed_at > asked.decided_at, false) as is_outdated, t.is_erased,
                e.address, e.secrets, e.platform, e.environment, \(badges ? Self.unread : "null::integer") as unread
            from \(entries.relation("asked", Self.columns + [Column("endpoint", \.endpoint)]))
            left join lateral (select r.changed_at from tidings.recipients r
                where r.tenant = asked.tenant and r.id = asked.recipient_id limit 1) r on true
            left join lateral (\(Self.endpoint) limit 1) e on true
            cross join lateral (select \(Self.isErased) as is_erased offset 0) t
            where r.changed_at > asked.decided_at or e.address is not null or t.is_erased or \(badges)
            """
        let looked = trip.ask(.rows(looking))
        let clock = trip.ask(store.databaseClock)
        let found = try await pool.send(trip, limit: Store.claimLimit, asProof: true)
        for pack in try found[claimed] {
            claims.claimedAt = pack.at
            claims.members[pack.id] = pack.members
        }
        for row in try found[looked] {
            let key = try DeliveryKey(row)
            if try row.decode("is_outdated") { claims.outdated.insert(key) }
            if try row.decode("is_erased") { claims.erased.insert(key) }
            if let address = try row.decode("address", as: String?.self) {
                claims.addresses[key] = EndpointAddress(
                    address: address, secrets: try row.decode("secrets"), platform: try row.decode("platform"),
                    environment: try row.decode("environment"))
            }
            if let badge = try row.decode("unread", as: Int?.self) { claims.badges[key] = badge }
        }
        self.clock.correct(try found[clock])
        return claims
    }

    /// The deliveries whose recipient changed since the decision, which must be routed again instead of sent, and those whose recipient was
    /// erased.
    public func changed(_ entries: [PackEntry]) async throws -> (outdated: Set<DeliveryKey>, erased: Set<DeliveryKey>) {
        let query: SQL = """
            select asked.notification_id, asked.ordinal, t.is_erased
            from \(entries.relation("asked", Self.columns))
            left join lateral (select r.changed_at from tidings.recipients r
                where r.tenant = asked.tenant and r.id = asked.recipient_id limit 1) r on true
            cross join lateral (select \(Self.isErased) as is_erased offset 0) t
            where r.changed_at > asked.decided_at or t.is_erased
            """
        var trip = RoundTrip()
        let changed = trip.ask(
            .rows(query) { (key: try DeliveryKey($0), isErased: try $0.decode("is_erased", as: Bool.self)) })
        let found = try await pool.send(trip, limit: Store.claimLimit)[changed]
        return (Set(found.filter { !$0.isErased }.map(\.key)), Set(found.filter(\.isErased).map(\.key)))
    }

    private static let columns: [Column<PackEntry>] = [
        Column("notification_id", \.notificationID), Column(smallint: "ordinal", \.ordinal), Column("tenant", \.tenant),
        Column("recipient_id", \.recipient), Column("decided_at", \.decidedAt),
    ]

    /// The endpoint of the delivery `asked`, with everything that a call needs of it.
    private static let endpoint = EndpointRows.select(
        [.address, .secrets, .platform, .environment], tenant: "asked.tenant", recipient: "asked.recipient_id", id: "asked.endpoint")

    /// Whether the person `asked` is erased.
    private static let isErased = Tombstones.isErased(tenant: "asked.tenant", recipient: "asked.recipient_id")

    /// The number of unread notifications of the person `asked`, at most the largest badge.
    private static let unread: SQL = """
        coalesce((select least(b.unread, \(Int32(Store.largestBadge))) from tidings.inboxes b
            where b.tenant = asked.tenant and b.recipient_id = asked.recipient_id), 0)
        """
}
