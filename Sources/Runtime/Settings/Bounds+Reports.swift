import TidingsCore
import TidingsStore

extension Bounds {
    /// The bounds of reports that come late, or that name only the provider's id of a message.
    static var reports: [Bound] {
        [
            Bound("Store.referencePruneBatch", Int(Store.referencePruneBatch), "references", "Of messages forgotten in one turn."),
            Bound("Store.earlyReportsKept", Store.earlyReportsKept, "A report waits for its delivery, then it counts as unknown."),
            Bound("Store.earlyReportBatch", Int(Store.earlyReportBatch), "reports", "Waiting ones that one turn records."),
            Bound(
                "Store.earlyReportsSearched", Int(Store.earlyReportsSearched), "reports",
                "The oldest, among which one turn looks for known messages."),
            Bound("Store.earlyReportPruneBatch", Int(Store.earlyReportPruneBatch), "reports", "Without a delivery, deleted in one turn."),
            Bound(
                "Store.resumedBatch", Int(Store.resumedBatch), "notifications",
                "Whose escalation one turn takes up after a late failure."),
        ]
    }
}
