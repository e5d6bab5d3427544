public import TidingsContracts
import TidingsCore
import TidingsJSON
import TidingsPostgres

/// The inbox rows that a transaction wrote.
public struct InboxArrivals: Sendable {
    private var entries: [EntryKey] = []

    public init() {}

    init(_ entries: [EntryKey]) { self.entries = entries }

    /// The entries of in-app packs that were delivered.
    init(of packs: [Pack], delivered: Set<DeliveryKey>) {
        guard !delivered.isEmpty else { return }
        for entry in packs.lazy.flatMap(\.entries) where delivered.contains(entry.key) {
            entries.append(EntryKey(tenant: entry.tenant, recipient: entry.recipient, id: entry.notificationID))
        }
    }

    public var isEmpty: Bool { entries.isEmpty }

    /// The people with their new notifications. A person with several rows stands there once for each run of consecutive rows: a batch
    /// rarely has two rows of one person, so grouping them would cost more than it saves.
    public var people: [InboxSignal.Person] {
        var people: [InboxSignal.Person] = []
        people.reserveCapacity(entries.count)
        for entry in entries {
            if let last = people.last, isSameText(last.recipient, entry.recipient), isSameText(last.tenant, entry.tenant) {
                people[people.count - 1].new.append(entry.id)
            } else {
                people.append(InboxSignal.Person(tenant: entry.tenant, recipient: entry.recipient, new: [entry.id]))
            }
        }
        return people
    }
}

/// The key of an inbox entry.
struct EntryKey: Sendable {
    let tenant: String
    let recipient: String
    let id: NotificationID

    var person: RecipientKey { RecipientKey(tenant: tenant, id: recipient) }

    static let columns: [Column<EntryKey>] = [
        Column("tenant", \.tenant), Column("recipient_id", \.recipient), Column("notification_id", \.id),
    ]
}

extension EntryKey {
    init(_ row: PostgresRow) throws {
        tenant = try row.decode("tenant")
        recipient = try row.decode("recipient_id")
        id = try row.decode("notification_id")
    }
}
