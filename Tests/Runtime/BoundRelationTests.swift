import Foundation
import Testing
import TidingsAMQP
import TidingsContracts
import TidingsCore
import TidingsPipeline
import TidingsPostgres
import TidingsProvider
import TidingsStore

@testable import TidingsServer

/// Relations between the bounds of the data path. Each bound may change alone only as far as these relations hold.
@Suite struct BoundRelationTests {
    /// The longest call to a provider, with the time by which it may be late.
    private static let call = Duration.seconds(CallSettings.allowedSeconds.upperBound) + PackClaims.callSlack
    private static let lease = Duration.seconds(Store.leaseSeconds)

    @Test func aCallEndsWithinItsLease() {
        #expect(Store.claimLimit + Self.call <= Self.lease, "after the slowest claim, the lease has time for a whole call")
        #expect(ProviderWorker.urgentLine + Self.call < Self.lease, "a place in the queue of a rate is of use only within the lease")
        #expect(PackClaims.freshness + SendGate.patience <= .seconds(2), "a send follows settings that are at most 2 s old")
    }

    @Test func aLivingWorkerKeepsItsPacks() {
        // A connection is opened again within 5 s, and a worker tries again after 2 s at most.
        let reconnect = Duration.seconds(5 + 2)
        #expect(Self.lease + reconnect < Steadiness.required, "after an outage a worker writes its outcomes before a releaser guesses")
        #expect(RolesService.heartbeatInterval * 3 <= .seconds(Store.heartbeatSeconds), "a worker that missed two heartbeats lives")
        #expect(RolesService.heartbeatInterval * 2 <= CommitWatch.longestSilence, "one late heartbeat is no database without commits")
        #expect(
            ProviderWorker.longestWaitUnclaimed + Store.claimLimit < .seconds(Store.missingAfterSeconds),
            "a pack that waits for its provider does not count as missing")
        let validity = Verdict.longestValidity
        #expect(
            ProviderWorker.longestWaitUnclaimed + Self.lease < validity,
            "a pack that waits for its provider is sent, and not decided again")
        #expect(validity < .seconds(Store.strandedAfterSeconds), "a pack with a valid decision is not taken back")
    }

    @Test func aReleaserPublishesOnlyAfterTheRouter() {
        let released = Duration.seconds(Store.confirmTimeoutSeconds)
        #expect(AMQPPublisher.standardConfirmTimeout < released, "a living publisher has stopped waiting for the confirm")
        #expect(
            RefusalLine.patience + RefusalLine.longestPause + RefusedPacks.longestAnswer < released,
            "a refused pack has left its line")
        #expect(RefusalLine.limitOfQueue < RefusalLine.limit, "a queue that stays full leaves room for other queues")
    }

    @Test func aStopEndsBeforeItsSupervisorKills() {
        #expect(Self.call < RolesService.drainLimit, "calls that are out can end")
        #expect(RolesService.drainLimit + RolesService.farewell < StopDeadline.limit, "the last heartbeat is written")
        #expect(StopDeadline.limit < .seconds(30), "Kubernetes kills after 30 s, unless told otherwise")
    }

    /// A process that systemd kills writes no outcome of the calls that have ended.
    @Test(arguments: ["router", "deliver", "release", "api"]) func aUnitWaitsForTheWholeStop(role: String) throws {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<3 { root.deleteLastPathComponent() }
        let unit = try String(contentsOf: root.appendingPathComponent("deploy/systemd/tidings-\(role)@.service"), encoding: .utf8)
        let setting = try #require(unit.split(separator: "\n").first { $0.hasPrefix("TimeoutStopSec=") })
        let seconds = try #require(Int(setting.dropFirst("TimeoutStopSec=".count)))
        #expect(StopDeadline.limit < .seconds(seconds))
    }

    @Test func aStepIsShorterThanThePatienceWithTheProcess() throws {
        let statement = try PostgresConfiguration(url: "postgres://localhost/tidings").statementTimeout
        #expect(statement + PostgresConfiguration.answerGrace < ProgressWatch.patience, "a slow statement is no stuck process")
        #expect(AMQPPublisher.standardConfirmTimeout < ProgressWatch.patience, "neither is a confirm that does not come")
        #expect(Self.lease < ProgressWatch.patience, "neither is a call to a provider that hangs")
        #expect(Intake.longestPause < WorkWatch.memory, "a failure is remembered until the next try of a batch")
        #expect(Relay.longestPause < WorkWatch.memory, "and until the next try of the outbox")
        #expect(Intake.longestPause < CommitWatch.memory, "a refused commit is remembered until its next try")
    }

    @Test func retriesEndWithinTheTimeToLive() {
        for category in Category.allCases {
            let policy = CategoryPolicy.standard(for: category)
            let waits = (1..<policy.retry.maximumAttempts).map { backoff(attempt: $0, policy: policy.retry, random: 1) }
            let longest = waits.reduce(Duration.zero, +)
            #expect(longest < policy.expiry, "\(category): every attempt is made before the delivery expires")
        }
        #expect(Releaser.interval < Breaker.Policy.standard.turnLength, "a delivery that is due is noticed while it is its turn")
    }

    @Test func theBrokerHandsOverWhatIsInWork() {
        #expect(
            Router.batch.maximumMessages * (Router.batchesInWork + 1) <= Router.prefetch,
            "one batch is collected while the others are in work")
        let overflowInWork = Router.overflowBatch.maximumMessages * Router.overflowInWork
        #expect(overflowInWork <= Router.overflowPrefetch, "every batch of overflow in work may be full")
        #expect(
            Router.overflowPrefetch <= overflowInWork + Router.overflowBatch.maximumMessages,
            "more than the next batch of overflow is left to other routers")
        #expect(
            PackReceiver.batch.maximumMessages * PackReceiver.batchesInWork <= PackReceiver.prefetch,
            "every batch in work may be full")
        #expect(
            Router.batchesInWork + Settler.commitsInWork <= Runtime.urgentPoolSize,
            "urgent batches and outcomes wait for no connection")
        let overflow = Router.overflowInWork * Lane.allCases.count
        // The rest is for the chores of a releaser, for messages that matched no intake queue, and for suspects.
        let rest = 2
        #expect(
            Router.batchesInWork + overflow + Settler.commitsInWork + rest <= Runtime.poolSize,
            "bulk batches and outcomes have connections during a flood of overflow, and so has all else")
        #expect(Int64(SuspectTrial.trials) < TopologySpec.deliveryLimit, "trials of a suspect end by themselves")
    }

    @Test func aPartFitsIntoItsWhole() {
        let limits = IntentLimits()
        #expect(limits.maximumMessageBytes < AMQPMessage.maximumBodyBytes, "a message that is too large is refused with its size")
        #expect(
            Pack.maximumBytes * PackReceiver.batch.maximumMessages <= PackReceiver.batch.maximumBytes,
            "the bytes of packs cut no batch")
        #expect(
            Pack.maximumEntries * PackReceiver.batch.maximumMessages <= Settler.largestBatch,
            "one commit takes the outcomes of a whole batch")
        // An id has 16 bytes.
        #expect(
            QueueNames.idsHeader.utf8.count + 16 * limits.maximumRecipients < AMQPMessage.maximumHeaderBytes,
            "the header has the promised id of each recipient of an event")
    }

    @Test func aPromisedIDLivesLongEnough() {
        #expect(ReservedIDs.longestAge < Store.reservationsKept, "an id is known for as long as a router may use it")
        #expect(Store.requestNamesKept <= Store.reservationsKept, "a request that is repeated gets ids that are still known")
        let skew = Duration.seconds(DatabaseClock.maximumSkewSeconds)
        #expect(skew < ReservedIDs.longestLead, "an id of another process is not from the future")
    }
}
