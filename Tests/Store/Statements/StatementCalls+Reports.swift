import TidingsCore
import TidingsPostgres

@testable import TidingsStore

/// Reports of providers and devices about deliveries, and events of apps.
extension StatementCall {
    static let reports: [StatementCall] = [
        StatementCall("reports.record") { _ = try await $0.reports.record([Self.arrival, Self.namedByMessage], from: Samples.provider) },
        // A delivery that had reached the person has failed after all.
        StatementCall("reports.record", with: ["state": "sent", "reason": "accepted"]) { store in
            _ = try await store.reports.record([Self.loss], from: Samples.provider)
        },
        StatementCall("reports.keepEarly") { try await $0.reports.keepEarly([Self.namedByMessage], from: Samples.provider) },
        StatementCall("reports.recordEarly") { _ = try await $0.reports.recordEarly() },
        StatementCall("reports.confirmReceipt") {
            _ = try await $0.reports.confirmReceipt(of: Samples.id, on: Samples.device, by: Samples.person)
        },
        // The second half of a receipt. The first one ends if a row says that the person was erased.
        StatementCall("reports.openBook") { store in
            try await store.pool.transaction { transaction in
                var book = try await Store.Reports.openBook(of: [Samples.key], for: .device, in: transaction)
                _ = book.enter(Self.arrival, of: Samples.key)
                try await transaction.pipeline(book.statements)
            }
        },
        StatementCall("reports.pruneMessageReferences") { _ = try await $0.reports.pruneMessageReferences(retention: Samples.retention) },
    ]

    private static let arrival = DeliveryReport(.delivery(Samples.id, ordinal: 0), .delivered, at: Samples.now, key: "arrival")
    private static let namedByMessage = DeliveryReport(.message(Samples.reference), .engaged, key: "message")
    private static let loss = DeliveryReport(
        .delivery(Samples.id, ordinal: 0), .failed(.providerRejected, endpointGone: true), at: Samples.now, key: "loss")

    static let engagement: [StatementCall] = [
        StatementCall("engagement.record") { store in
            _ = try await store.engagement.record([Self.opened], of: Samples.person, defaultMarket: "default")
        },
        // The second half of the same transaction. The first one ends if a row says that the person was erased.
        StatementCall("engagement.record") { store in
            let key = Self.opened.key(at: Samples.now)
            try await store.pool.transaction { transaction in
                let facts = EngagementRows.facts(of: [Self.opened], by: Samples.person)
                let found = try await transaction.query(.rows(facts, EngagementFacts.init))
                let rows = EngagementRows([Self.opened], [key], found, person: Samples.person, defaultMarket: "default")
                _ = try await transaction.query(.value(rows.openDay, as: Int32.self))
                try await transaction.pipeline([rows.insert, rows.count([key]), rows.tally([key])])
            }
        },
        StatementCall("engagement.rollUp") { try await $0.engagement.rollUp() },
        StatementCall("engagement.prune") { _ = try await $0.engagement.prune(retention: Samples.retention) },
        StatementCall("engagement.pruneTotals") { _ = try await $0.engagement.pruneTotals() },
    ]

    private static let opened = EngagementEvent(
        .opened, notification: Samples.id, device: Samples.device, at: Samples.now, detail: #"{"a":"b"}"#)
}
