public import TidingsContracts
import TidingsCore
import TidingsJSON
import TidingsPostgres

/// The inbox rows that a transaction wrote, as columns: the same arrays that the statement got, so that keeping them costs nothing.
public struct InboxArrivals: Sendable {
    private var ids: [PostgresUUID] = []
    private var tenants: [String] = []
    private var recipients: [String] = []

    public init() {}

    init(ids: [PostgresUUID], tenants: [String], recipients: [String]) {
        (self.ids, self.tenants, self.recipients) = (ids, tenants, recipients)
    }

    /// The entries of in-app packs that were delivered.
    init(of packs: [Pack], delivered: Set<DeliveryKey>) {
        guard !delivered.isEmpty else { return }
        for entry in packs.lazy.flatMap(\.entries) where delivered.contains(entry.key) {
            ids.append(entry.notificationID.uuid)
            tenants.append(entry.tenant)
            recipients.append(entry.recipient)
        }
    }

    public var isEmpty: Bool { ids.isEmpty }

    /// The people with their new notifications. A person with several rows stands there once for each run of consecutive rows: a batch
    /// rarely has two rows of one person, so grouping them would cost more than it saves.
    public var people: [InboxSignal.Person] {
        var people: [InboxSignal.Person] = []
        people.reserveCapacity(ids.count)
        for (position, id) in ids.enumerated() {
            let (tenant, recipient, id) = (tenants[position], recipients[position], NotificationID(id))
            if let last = people.last, isSameText(last.recipient, recipient), isSameText(last.tenant, tenant) {
                people[people.count - 1].new.append(id)
            } else {
                people.append(InboxSignal.Person(tenant: tenant, recipient: recipient, new: [id]))
            }
        }
        return people
    }
}
