import TidingsCore
import TidingsPipeline
import TidingsStore

/// The bounds of the erasure and the export of people.
extension Bounds {
    static var erasure: [Bound] {
        [
            Bound("Eraser.interval", Eraser.interval, "Between two looks for an erasure that is due."),
            Bound("Eraser.pauseAfterFailure", Eraser.pauseAfterFailure, "Of an erasure whose turn failed; others go on."),
            Bound("Store.erasurePause", Store.erasurePause, "Of an erasure that waits for a transaction or a call to end."),
            Bound("Store.erasureBatch", Int(Store.erasureBatch), "rows", "Of each table in one turn of an erasure."),
            Bound(
                "Store.erasureNotifications", Int(Store.erasureNotifications), "notifications",
                "Deleted with everything about them in one turn of an erasure."),
            Bound(
                "Store.erasureRefusedRows", Int(Store.erasureRefusedRows), "rows",
                "Rejected or dead rows read in one turn of an erasure."),
            Bound("Store.erasureRefusedBytes", Int(Store.erasureRefusedBytes), "bytes", "Of these; one more row may exceed it."),
            Bound("Store.erasuresKept", Store.erasuresKept, "The proof of a finished erasure, which does not name the person."),
            Bound("Store.tombstonePruneBatch", Int(Store.tombstonePruneBatch), "rows", "Of erasures forgotten in one turn of retention."),
            Bound("PersonalExport.rows", Int(PersonalExport.rows), "rows", "Of one page of an export, in memory at once."),
            Bound("PersonalExport.bytes", Int(PersonalExport.bytes), "bytes", "Of these; one more row may exceed it."),
            Bound(
                "PersonalExport.notifications", Int(PersonalExport.notifications), "notifications",
                "Whose deliveries and attempts are one page of an export."),
        ]
    }
}
