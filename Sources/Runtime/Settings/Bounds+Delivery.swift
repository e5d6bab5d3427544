import TidingsCore
import TidingsPipeline
import TidingsProvider
import TidingsStore

extension Bounds {
    /// From a claimed pack to its outcome.
    static var delivery: [Bound] {
        let (retry, breaker) = (RetryPolicy.standard, Breaker.Policy.standard)
        return [Bound("PackReceiver.prefetch", PackReceiver.prefetch, "packs", "Of each queue, unsettled in one worker.")]
            + Bound.batch("PackReceiver.batch", PackReceiver.batch, "Packs are batches already, so one is never waited for long.") + [
                Bound("PackReceiver.batchesInWork", PackReceiver.batchesInWork, "batches", "Of each queue at once."),
                Bound(
                    "ProviderWorker.patience", ProviderWorker.patience,
                    "Then the messages of a batch are acknowledged, and its calls go on under the claim."),
                Bound(
                    "Outstanding.limit", Outstanding.limit, "batches",
                    "Out beyond patience at once. More batches wait, because providers hang then."),
                Bound("SendGate.patience", SendGate.patience, "The longest wait of a send for room; then its delivery is due later."),
                Bound("SendGate.comeBack", SendGate.comeBack, "The shortest wait before a send that found no room is tried again."),
                Bound(
                    "SendRoom.rememberedHosts", SendRoom.rememberedHosts, "hosts",
                    "Beyond it, healthy hosts are forgotten first, then hosts that failed longest ago."),
                Bound("SendRoom.rememberedEndpoints", SendRoom.rememberedEndpoints, "endpoints", "That have failed; as for hosts."),
                Bound(
                    "SendRoom.reservedPart", SendRoom.reservedPart, "calls", "Of which one is kept: for other endpoints, or other hosts."),
                Bound("Throttle.shortest", Throttle.shortest, "The first pause of an endpoint that asks for fewer calls; it doubles."),
                Bound("Throttle.longest", Throttle.longest, "The longest such pause without a Retry-After."),
                Bound("SendRoom.hangingAfter", SendRoom.hangingAfter, "Then a call hangs, and other endpoints get spare calls."),
                Bound(
                    "ProviderLimits.spareCalls", ProviderLimits.spareCalls, "calls",
                    "Of each process, beyond the limit of a host where calls hang or fail."),
                Bound(
                    "PackBudget.limit", PackBudget.limit, "bytes",
                    "Of packs in work with all providers of a process, and one batch more for each queue."),
                Bound(
                    "ProviderWorker.longestWaitUnclaimed", ProviderWorker.longestWaitUnclaimed,
                    "Packs wait so long for a provider's rate, or its breaker, before they are claimed."),
                Bound("ProviderWorker.bulkLine", ProviderWorker.bulkLine, "The longest wait for a provider's rate that bulk packs join."),
                Bound("ProviderWorker.urgentLine", ProviderWorker.urgentLine, "The same for urgent packs; so urgent packs come first."),
                Bound("Store.judgedAsDue", Store.judgedAsDue, "A scheduled delivery is judged by its time if a releaser is no later."),
                Bound("ProviderWorker.patienceOfBulk", ProviderWorker.patienceOfBulk, "Then bulk packs join the longer queue too."),
                Bound("ProviderWorker.lookAgain", ProviderWorker.lookAgain, "Between two requests of waiting packs for a place."),
                Bound("ComeBackLine.interval", ComeBackLine.interval, "Between two retries of sends that were turned away."),
                Bound("ComeBackLine.short", ComeBackLine.short, "A longer queue behind an open breaker leaves packs with the broker."),
                Bound(
                    "ComeBackLine.longest", ComeBackLine.longest,
                    "A send that was turned away is tried again at most this long after its breaker or rate allows it."),
                Bound("ProviderWorker.gathering", ProviderWorker.gathering, "An outcome waits this long for more outcomes of its pack."),
                Bound("Settler.largestBatch", Settler.largestBatch, "outcomes", "Of one commit."),
                Bound("Settler.commitsInWork", Settler.commitsInWork, "commits", "One is written while the next collects."),
                Bound(
                    "Store.leaseSeconds", .seconds(Store.leaseSeconds),
                    "A claimed pack belongs to its worker: longer than any provider's deadline."),
                Bound("Store.claimLimit", Store.claimLimit, "The server's work on a claim; a later one leaves no time for a call."),
                Bound("PackClaims.callSlack", PackClaims.callSlack, "How much later than promised a provider may end a call."),
                Bound("PackClaims.freshness", PackClaims.freshness, "Then the recipient's settings are read again before a send."),
                Bound(
                    "RetryPolicy.standard.maximumAttempts", retry.maximumAttempts, "attempts", "Unless the category's retry says otherwise."
                ),
                Bound("RetryPolicy.standard.base", retry.base, "The longest wait after the first attempt; it doubles."),
                Bound("RetryPolicy.standard.cap", retry.cap, "No wait chosen here is longer."),
                Bound("RetryPolicy.longestProviderWait", RetryPolicy.longestProviderWait, "The longest Retry-After that is honoured."),
                Bound(
                    "Breaker.Policy.standard.failureThreshold", breaker.failureThreshold, "failures",
                    "In a row, of different endpoints of a host or deliveries to an endpoint: no accident."),
                Bound("Breaker.Policy.standard.coolDown", breaker.coolDown, "Outlasts a reconnect; doubles with each trial that fails."),
                Bound("Breaker.Policy.standard.longestCoolDown", breaker.longestCoolDown, "The longest anybody waits after repair."),
                Bound("Breaker.Policy.standard.probeInterval", breaker.probeInterval, "Between calls to endpoints that have not failed."),
                Bound("Breaker.Policy.ofEndpoint.shortestRow", Breaker.Policy.ofEndpoint.shortestRow, "Less is a busy endpoint."),
                Bound("Breaker.Policy.standard.turnLength", breaker.turnLength, "Longer than the releaser takes to notice a delivery."),
                Bound("Breaker.rememberedParts", Breaker.rememberedParts, "parts", "Have a turn of their own; the rest come first."),
                Bound("SendResult.longestDetail", SendResult.longestDetail, "bytes", "Kept of a provider's answer."),
                Bound("SendResult.longestSaid", SendResult.longestSaid, "bytes", "Of a provider's answer that are searched for secrets."),
                Bound("SendResult.shortestSecret", SendResult.shortestSecret, "bytes", "A shorter secret is found in ordinary words."),
            ]
    }

    /// Local notifications, and the pushes that wake their devices.
    static var local: [Bound] {
        [
            Bound("LocalPlan.limit", LocalPlan.limit, "notifications", "Planned on one device at once; iOS drops more without a word."),
            Bound("Store.localLook", Int(Store.localLook), "notifications", "Of one device that one sync reads, the soonest first."),
            Bound(
                "Store.localRequestsKeptDays", Store.localRequestsKeptDays, "days", "Local notifications are kept after their expiry."),
            Bound("Store.localPruneBatch", Int(Store.localPruneBatch), "rows", "Local notifications forgotten in one turn."),
            Bound("LocalPlanWaker.interval", LocalPlanWaker.interval, "Between two looks for devices to wake."),
            Bound("LocalPlanWaker.batch", LocalPlanWaker.batch, "devices", "Of one look, and pushes out at once."),
            Bound("LocalPlanWaker.turns", LocalPlanWaker.turns, "turns", "In which a wake waits for its provider's rate."),
            Bound("LocalPlanWaker.life", LocalPlanWaker.life, "Then a platform need not deliver a wake any more."),
            Bound("Store.wakeGatheringSeconds", .seconds(Store.wakeGatheringSeconds), "Changes gather so long for one wake."),
            Bound(
                "Store.wakeSpacingSeconds", .seconds(Store.wakeSpacingSeconds),
                "Between two wakes of one device: platforms hold back an app that is woken often."),
        ]
    }
}
