import TidingsContracts
import TidingsCore
import TidingsPostgres

/// Rows of `tidings.message_references`: the ids that providers gave to accepted messages, for reports that name nothing else.
struct MessageReferences {
    private var rows: [(provider: String, reference: String, key: DeliveryKey)] = []

    init(_ packs: [PackSettlement]) {
        for one in packs {
            for settlement in one.settlements where settlement.isReportedByMessageID {
                // An id that no report can name is not stored.
                guard let id = settlement.providerMessageID, DeliveryReport.Reference(messageID: id) != nil else { continue }
                rows.append((one.pack.provider, id, settlement.entry.key))
            }
        }
        // Every transaction inserts in this order, so that two of them cannot deadlock.
        rows.sort { ($0.provider, $0.reference) < ($1.provider, $1.reference) }
    }

    /// Nil if there is nothing to insert. Writing the same rows again changes nothing.
    var insert: SQL? {
        guard !rows.isEmpty else { return nil }
        return """
            insert into tidings.message_references (provider, reference, notification_id, ordinal)
            select * from \(rows.relation("told", [
                Column("provider", \.provider), Column("reference", \.reference), Column("notification_id", \.key.notificationID),
                Column(smallint: "ordinal", \.key.ordinal),
            ]))
            on conflict do nothing
            """
    }
}

extension Store {
    /// References of messages that one turn deletes.
    package static let referencePruneBatch: Int64 = 5_000
}

extension Store.Reports {
    /// Deletes references of notifications past retention, unless their deliveries end late.
    ///
    /// - Returns: False if there were none.
    public func pruneMessageReferences(retention: Duration) async throws -> Bool {
        try await store.deleteByIndex(
            """
            delete from tidings.message_references where ctid = any(array(
                select ctid from tidings.message_references r
                where notification_id
                    < (select tidings.first_id(tidings.clock() - make_interval(secs => \(Double(retention.components.seconds)))))
                    and not \(Store.endsLate("r.notification_id", retention: retention))
                order by notification_id limit \(Store.referencePruneBatch) for update skip locked))
            """)
    }
}
