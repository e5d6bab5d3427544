import TidingsCore
import TidingsStore

extension Bounds {
    /// The bounds of events that apps report.
    static var engagement: [Bound] {
        [
            Bound("Store.engagementPerDay", Store.engagementPerDay, "events", "Of one person in a day of UTC; a request beyond gets 429."),
            Bound("Store.engagementOldest", Store.engagementOldest, "The age up to which the time of a device counts, else the server's."),
            Bound("Store.engagementAhead", Store.engagementAhead, "By which a device's clock may be ahead; the event then counts as now."),
            Bound("Store.engagementTallyBatch", Int(Store.engagementTallyBatch), "rows", "Of counts, rolled up in one turn."),
            Bound(
                "Store.engagementTotalsPerDay", Int(Store.engagementTotalsPerDay), "totals",
                "Beyond it a tenant without a total of the day gets none; sums stay true."),
            Bound("Store.engagementTotalsKept", Store.engagementTotalsKept, "A day can be compared with that of the year before."),
            Bound(
                "Store.engagementPruneBatch", Int(Store.engagementPruneBatch), "rows", "Of each table, deleted in one turn of retention."),
        ]
    }
}
