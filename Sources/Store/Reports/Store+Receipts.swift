public import TidingsCore
import TidingsPostgres

extension Store {
    /// The channels of deliveries that a device can confirm or have in its plan.
    static let deviceChannels = Channel.allCases.filter(\.endsOnDevice).map(\.rawValue)
}

extension Store.Reports {
    /// The key of a device's confirmation in `tidings.reports`. A delivery is confirmed once, so that a person cannot fill the table. If an
    /// operator sends it again, it has more attempts, and is confirmed once more.
    private static func receiptKey(attempts: Int16) -> String { "receipt \(attempts)" }
    /// Records that a device of a person got a notification. The delivery to the device moves as by a report of its provider
    /// (``TidingsCore/effect(of:on:because:)``): it becomes `delivered`, and never moves back.
    ///
    /// If nothing was sent to the device alone, the first delivery to the person as a whole is confirmed, as of Braze and Airship. A copy is
    /// no delivery to a device.
    ///
    /// The search has the rights of the person, so it finds no delivery to anybody else. The delivery that it finds belongs to the pipeline:
    /// the process moves it, as after a report of its provider.
    ///
    /// - Returns:
    ///   - `applied`, `kept` or `repeated`: the confirmation is recorded.
    ///   - `ignored`: the device has the notification in its plan of local notifications, and confirms the plan instead.
    ///   - `early`: a delivery that this device may get has not ended yet. The confirmation counts when it comes again.
    ///   - `unknown`: the person has no such notification, it is past retention, or nothing of it was sent to this device.
    ///   - `erased`: the person was erased. Nothing is recorded.
    public func confirmReceipt(
        of notification: NotificationID, on device: String, by person: RecipientKey
    ) async throws -> ReportResult {
        try await pool.transaction(retryAmbiguous: true, isolation: .readCommitted) { transaction -> ReportResult in
            var trip = RoundTrip()
            let isErased = trip.lookForTombstone(of: person)
            trip.run(Store.beginPerson(person))
            let standing = trip.ask(Self.standing(of: notification, on: device, by: person))
            let ended = trip.ask(.rows(Self.candidates(of: notification, on: device), ReceiptCandidates.Candidate.init))
            trip.run(Store.endPerson)
            let found = try await transaction.send(trip)
            if try found[isErased] { return .erased }
            guard let (isPending, isOwnDevice) = try found[standing] else { return .unknown }
            let candidates = ReceiptCandidates(try found[ended], isPending: isPending, isOwnDevice: isOwnDevice)
            guard let confirmed = candidates.confirmed else {
                if candidates.isPlanned { return .ignored }
                return isPending && candidates.mayFollow ? .early : .unknown
            }
            let ordinal = Int(confirmed.ordinal)
            let key = DeliveryKey(notification, ordinal)
            var book = try await Self.openBook(of: [key], for: .device, in: transaction)
            let report = DeliveryReport(
                .delivery(notification, ordinal: ordinal), .delivered, key: Self.receiptKey(attempts: confirmed.attempts))
            let result = book.enter(report, of: key)
            let statements = book.statements
            if !statements.isEmpty { _ = try await transaction.pipeline(statements) }
            return result
        }
    }

    /// One row if the person has the notification: whether a delivery that the device may get has not ended, and whether the device is one
    /// of the person. Deliveries beyond the first decision are those of a failover, and may be for any device.
    private static func standing(
        of notification: NotificationID, on device: String, by person: RecipientKey
    ) -> Statement<(isPending: Bool, isOwnDevice: Bool)?> {
        let query: SQL = """
            select exists (
                    select from json_array_elements(n.decided) with ordinality as p(delivery, place)
                    where p.delivery ->> 'channel' = any(\(Store.deviceChannels)) and coalesce(p.delivery ->> 'endpoint', \(device)) = \(device)
                        and p.delivery ->> 'copy' is distinct from 'true'
                        and not exists (select from tidings.own_deliveries d where d.notification_id = n.id and d.ordinal = p.place - 1)
                ) or json_array_length(n.decided) + (
                    select count(*) from tidings.own_deliveries d where d.notification_id = n.id and d.ordinal >= json_array_length(n.decided)
                ) < n.planned,
                exists (select from tidings.endpoints e
                    where e.tenant = n.tenant and e.recipient_id = n.recipient_id and e.id = \(device) and e.channel = 'push')
            from (select id, tenant, recipient_id, planned, decision::json -> 'deliveries' as decided from tidings.own_notifications
                where id = \(notification.uuid) and tenant = \(person.tenant) and recipient_id = \(person.id) limit 1) n
            """
        return .first(query) { row in
            let (isPending, isOwnDevice) = try row.decode((Bool, Bool).self)
            return (isPending: isPending, isOwnDevice: isOwnDevice)
        }
    }

    /// The ended deliveries that the device may have got, the likeliest first. A delivery that a device has confirmed comes before others, so
    /// that a repetition confirms the same. The decision at acceptance says which of them are copies, because a copy never moves to another
    /// provider.
    private static func candidates(of notification: NotificationID, on device: String) -> SQL {
        """
        select d.ordinal, d.attempts, d.endpoint is not null, d.channel = \(Channel.local.rawValue),
            d.state in ('sent', 'delivered', 'failed', 'expired')
        from (select decision from tidings.own_notifications where id = \(notification.uuid) limit 1) n, tidings.own_deliveries d
        where d.notification_id = \(notification.uuid)
            and d.channel = any(\(Store.deviceChannels))
            and (d.endpoint = \(device) or d.endpoint is null and d.provider <> ''
                and n.decision::json #>> array['deliveries', d.ordinal::text, 'copy'] is distinct from 'true')
        order by d.endpoint is not null desc, exists (select from tidings.own_reports r where r.notification_id = d.notification_id
            and r.ordinal = d.ordinal and r.reporter = 'device' and r.attempt = d.attempts) desc, d.state = 'sent' desc, d.ordinal
        """
    }
}

/// The ended deliveries of a notification that a device may have got.
private struct ReceiptCandidates {
    struct Candidate: Sendable {
        let ordinal: Int16
        let attempts: Int16
        fileprivate let isToDevice: Bool
        fileprivate let isPlanned: Bool
        fileprivate let mayHaveArrived: Bool

        fileprivate init(_ row: PostgresRow) throws {
            (ordinal, attempts, isToDevice, isPlanned, mayHaveArrived) = try row.decode((Int16, Int16, Bool, Bool, Bool).self)
        }
    }

    /// The delivery that the device confirms. Nil if none of them was sent, or if another one may be it.
    let confirmed: Candidate?
    /// Whether the device has the notification in its plan.
    let isPlanned: Bool
    /// Whether a delivery to the device may still end.
    let mayFollow: Bool

    /// - Parameters:
    ///   - isPending: whether a delivery that the device may get has not ended. Until then no delivery to the person as a whole is confirmed
    ///     in its place.
    ///   - isOwnDevice: whether the device belongs to the person. A device of somebody else confirms no delivery to the person as a whole.
    init(_ all: [Candidate], isPending: Bool, isOwnDevice: Bool) {
        let sent = all.filter(\.mayHaveArrived)
        let here = sent.filter(\.isToDevice)
        let arrived = here.isEmpty && isOwnDevice && !isPending ? sent : here
        confirmed = arrived.first { !$0.isPlanned }
        isPlanned = arrived.contains(where: \.isPlanned)
        mayFollow = isOwnDevice || all.contains(where: \.isToDevice)
    }
}
