import TidingsCore
import TidingsPipeline

extension Bounds {
    /// The bounds of requests over HTTP, until their intents are with the broker.
    static var submission: [Bound] {
        [
            Bound("SubmittedRequest.longestName", SubmittedRequest.longestName, "bytes", "Of the header Idempotency-Key."),
            Bound("ReservationDesk.largestBatch", ReservationDesk.largestBatch, "intents", "Of one commit; one request more is possible."),
            Bound("ReservationDesk.commitsInWork", ReservationDesk.commitsInWork, "commits", "One is written while the next collects."),
            Bound("IntentSubmission.confirmPatience", IntentSubmission.confirmPatience, "Then a request is answered as not accepted."),
            Bound("ReservedIDs.longestAge", ReservedIDs.longestAge, "Then a router gives a notification another id than the promised one."),
        ]
    }
}
