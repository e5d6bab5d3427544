import TidingsContracts
import TidingsCore

/// A settled delivery, as the statements of a settlement get it.
struct SettledDelivery: Sendable {
    let pack: PackID
    let settlement: Settlement

    static func all(of packs: [PackSettlement]) -> [SettledDelivery] {
        packs.flatMap { one in one.settlements.map { SettledDelivery(pack: one.pack.id, settlement: $0) } }
    }

    /// The state of a delivery that has ended. Nil if it waits.
    var state: DeliveryState? { if case .ended(let state, _) = settlement.exit { state } else { nil } }

    /// The time for which a delivery waits, and why. Nil if it has ended.
    var wait: (time: Timestamp, kind: DueKind)? {
        if case .waiting(let time, let kind, _, _) = settlement.exit { (time, kind) } else { nil }
    }

    /// The columns of every settled delivery.
    static let columns: [Column<SettledDelivery>] = [
        Column("pack", \.pack), Column("notification_id", \.settlement.entry.notificationID),
        Column(smallint: "ordinal", \.settlement.entry.ordinal), Column("tenant", \.settlement.entry.tenant),
        Column("endpoint", \.settlement.entry.endpoint), Column("reason", \.settlement.reason),
        Column(smallint: "attempts", \.settlement.attemptsMade),
    ]
}

extension Column<SettledDelivery> {
    static var state: Column { Column("state") { $0.state?.rawValue } }
    static var providerMessageID: Column { Column("provider_message_id", \.settlement.providerMessageID) }
    static var time: Column { Column("due_at") { $0.wait?.time } }
    static var kind: Column { Column("kind") { $0.wait?.kind.rawValue } }
}
