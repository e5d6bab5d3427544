import TidingsCore
import TidingsPipeline

extension Bounds {
    /// The bounds of requests over HTTP, until their intents are with the broker.
    static var submission: [Bound] {
        [
            Bound("SubmittedRequest.longestName", SubmittedRequest.longestName, "bytes", "Of the header Idempotency-Key."),
            Bound(
                "ReservationDesk.largestBatch", ReservationDesk.largestBatch, "intents",
                "Of one commit of small requests; one request more is possible."),
            Bound(
                "ReservationDesk.commitsInWork", ReservationDesk.commitsInWork, "commits",
                "Of small requests: one is written while the next collects. One commit of large requests is in work beside them."),
            Bound(
                "ReservationDesk.largestSmallRequest", ReservationDesk.largestSmallRequest, "intents",
                "A larger request shares no commit with small ones, which would wait for it."),
            Bound(
                "ReservationDesk.largestLargeBatch", ReservationDesk.largestLargeBatch, "intents",
                "Of one commit of large requests; one request more is possible."),
            Bound("IntentSubmission.confirmPatience", IntentSubmission.confirmPatience, "Then a request is answered as not accepted."),
            Bound("ReservedIDs.longestAge", ReservedIDs.longestAge, "Then a router gives a notification another id than the promised one."),
        ]
    }
}
