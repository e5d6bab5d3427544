public import TidingsCore
import TidingsPostgres

extension Store {
    /// The key of a device's confirmation in `tidings.reports`. A delivery is confirmed once, so that a person cannot fill the table.
    private static let receiptKey = "receipt"
    /// The channels of deliveries that a device can confirm or have in its plan.
    static let deviceChannels = Channel.allCases.filter(\.endsOnDevice).map(\.rawValue)

    /// Records that a device of a person got a notification. The delivery to the device moves as by a report of its provider
    /// (``TidingsCore/effect(of:on:because:)``): it becomes `delivered`, and never moves back.
    ///
    /// If no delivery names the device, the first delivery to the person as a whole is confirmed, as of Braze and Airship. A copy is no
    /// delivery to a device.
    ///
    /// - Returns:
    ///   - `applied`, `kept` or `repeated`: the confirmation is recorded.
    ///   - `ignored`: the device has the notification in its plan of local notifications, and confirms the plan instead.
    ///   - `early`: the delivery to this device of the person may not have ended yet. The confirmation counts when it comes again.
    ///   - `unknown`: the person has no such notification, it is past retention, or nothing of it was sent to this device.
    public func confirmReceipt(
        of notification: NotificationID, on device: String, by person: RecipientKey
    ) async throws -> ReportResult {
        try await pool.transaction(retryAmbiguous: true) { transaction in
            let answers = try await transaction.pipeline([
                Self.standing(of: notification, on: device, by: person), Self.candidates(of: notification, on: device),
            ])
            guard let standing = answers[0].rows.first else { return .unknown }
            let (isPending, isOwnDevice) = try standing.decode((Bool, Bool).self)
            let candidates = try ReceiptCandidates(answers[1].rows, isOwnDevice: isOwnDevice)
            guard let ordinal = candidates.confirmed else {
                if candidates.isPlanned { return .ignored }
                return isPending && candidates.mayFollow ? .early : .unknown
            }
            let key = DeliveryKey(notification, ordinal)
            var book = try await Self.openBook(of: [key], for: .device, in: transaction)
            let report = DeliveryReport(.delivery(notification, ordinal: ordinal), .delivered, key: Self.receiptKey)
            let result = book.enter(report, of: key)
            let statements = book.statements
            if !statements.isEmpty { _ = try await transaction.pipeline(statements) }
            return result
        }
    }

    /// One row if the person has the notification: whether a delivery has not ended, and whether the device is one of the person.
    private static func standing(of notification: NotificationID, on device: String, by person: RecipientKey) -> SQL {
        """
        select (select count(*) from tidings.deliveries where notification_id = n.id) < n.planned,
            exists (select from tidings.endpoints e
                where e.tenant = n.tenant and e.recipient_id = n.recipient_id and e.id = \(device) and e.channel = 'push')
        from (select id, tenant, recipient_id, planned from tidings.notifications
            where id = \(notification.uuid) and tenant = \(person.tenant) and recipient_id = \(person.id) limit 1) n
        """
    }

    /// The ended deliveries that the device may have got, the likeliest first. The decision at acceptance says which of them are copies,
    /// because a copy never moves to another provider.
    private static func candidates(of notification: NotificationID, on device: String) -> SQL {
        """
        select d.ordinal, d.endpoint is not null, d.channel = \(Channel.local.rawValue),
            d.state in ('sent', 'delivered', 'failed', 'expired')
        from (select decision from tidings.notifications where id = \(notification.uuid) limit 1) n, tidings.deliveries d
        where d.notification_id = \(notification.uuid)
            and d.channel = any(\(deviceChannels))
            and (d.endpoint = \(device) or d.endpoint is null and d.provider <> ''
                and n.decision::json #>> array['deliveries', d.ordinal::text, 'copy'] is distinct from 'true')
        order by d.endpoint is not null desc, d.state = 'sent' desc, d.ordinal
        """
    }
}

/// The ended deliveries of a notification that a device may have got.
private struct ReceiptCandidates {
    /// The delivery that the device confirms. Nil if none of them was sent.
    let confirmed: Int?
    /// Whether the device has the notification in its plan.
    let isPlanned: Bool
    /// Whether a delivery to the device may still end.
    let mayFollow: Bool

    private struct Candidate {
        let ordinal: Int16
        let isToDevice: Bool
        let isPlanned: Bool
        let mayHaveArrived: Bool

        init(_ row: PostgresRow) throws {
            (ordinal, isToDevice, isPlanned, mayHaveArrived) = try row.decode((Int16, Bool, Bool, Bool).self)
        }
    }

    /// - Parameter isOwnDevice: whether the device belongs to the person. A device of somebody else confirms no delivery to the person as a
    ///   whole.
    init(_ rows: PostgresRows, isOwnDevice: Bool) throws {
        let all = try rows.map { try Candidate($0) }
        let toDevice = all.filter(\.isToDevice)
        let arrived = (toDevice.isEmpty && isOwnDevice ? all : toDevice).filter(\.mayHaveArrived)
        confirmed = arrived.first { !$0.isPlanned }.map { Int($0.ordinal) }
        isPlanned = arrived.contains(where: \.isPlanned)
        mayFollow = isOwnDevice || !toDevice.isEmpty
    }
}
