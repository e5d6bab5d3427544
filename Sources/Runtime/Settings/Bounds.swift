import TidingsAMQP
import TidingsContracts
package import TidingsCore
import TidingsJSON
import TidingsPipeline
import TidingsPostgres
import TidingsStore

/// Every bound of the data path, in the order in which an intent meets them. No number stands here: each is read from its constant.
package enum Bounds {
    package static var all: [Bound] {
        let parts: [[Bound]] = [
            submission, overflow, intake, routing, delivery, local, signals, release, erasure, connections, processes, house, addresses,
            retention, engagement, reports, liveness,
        ]
        return parts.flatMap { $0 }
    }

    private static var intake: [Bound] {
        let (limits, json) = (IntentLimits(), JSONLimits.standard)
        return [
            Bound("IntentLimits.maximumEventBytes", limits.maximumEventBytes, "bytes", "More than any provider carries."),
            Bound("IntentLimits.maximumMessageBytes", limits.maximumMessageBytes, "bytes", "A batch waits in memory as a whole."),
            Bound("IntentLimits.maximumEventsPerMessage", limits.maximumEventsPerMessage, "events", "Of one batch message."),
            Bound("IntentLimits.maximumRecipients", limits.maximumRecipients, "recipients", "Each becomes a notification of its own."),
            Bound(
                "IntentLimits.maximumIntentsPerMessage", limits.maximumIntentsPerMessage, "notifications",
                "All are decoded before the first is committed."),
            Bound(
                "IntentLimits.maximumFanOutBytes", limits.maximumFanOutBytes, "bytes",
                "An event times its recipients: each gets the whole content."),
            Bound(
                "IntentLimits.keptRawBytes", limits.keptRawBytes, "bytes", "Kept of an event or message that is too large to be kept whole."
            ),
            Bound("IntentLimits.pastTolerance", limits.pastTolerance, "A queue that stood still overnight; more is a wrong clock or unit."),
            Bound("IntentLimits.futureHorizon", limits.futureHorizon, "A later time is nearly always milliseconds taken for seconds."),
            Bound("IntentLimits.maximumRecipientBytes", limits.maximumRecipientBytes, "bytes", "Names of people are keys of indexes."),
            Bound("IntentLimits.maximumIDBytes", limits.maximumIDBytes, "bytes", "A key of an index."),
            Bound("IntentLimits.maximumSourceBytes", limits.maximumSourceBytes, "bytes", "A URI, with room."),
            Bound("IntentLimits.maximumKeyBytes", limits.maximumKeyBytes, "bytes", "Of groupKey and collapseKey."),
            Bound("IntentLimits.maximumLinkBytes", limits.maximumLinkBytes, "bytes", "Of each link in the content."),
            Bound("JSONLimits.maximumDepth", json.maximumDepth, "levels", "Nesting of any JSON from outside."),
            Bound("JSONLimits.maximumNodes", json.maximumNodes, "values", "Bounds the memory that one document needs."),
            Bound("JSONLimits.maximumNumberLength", json.maximumNumberLength, "characters", "Of one number."),
            Bound("AMQPMessage.maximumBodyBytes", AMQPMessage.maximumBodyBytes, "bytes", "A larger body is dropped while it is read."),
            Bound(
                "AMQPMessage.maximumHeaderValues", AMQPMessage.maximumHeaderValues, "values",
                "Of all headers of a message, nested ones included; the rest is left out."),
            Bound(
                "AMQPMessage.maximumHeaderBytes", AMQPMessage.maximumHeaderBytes, "bytes",
                "Of names and texts of a message's headers; the rest is left out."),
            Bound("AMQPValue.maximumDepth", AMQPValue.maximumDepth, "levels", "Nesting of headers; deeper ones are refused, not followed."),
            Bound(
                "BatchPolicy.batchesHeld", BatchPolicy.batchesHeld, "batches",
                "Wait for their turn, by the bytes of bodies and headers; the rest stays in the socket, and the broker waits."),
        ]
    }

    private static var routing: [Bound] {
        [Bound("Router.prefetch", Router.prefetch, "messages", "Two batches in work and one being collected.")]
            + Bound.batch("Router.batch", Router.batch, "A batch ends at the first of these three bounds.") + [
                Bound("Router.batchesInWork", Router.batchesInWork, "batches", "More only makes transactions wait for each other."),
                Bound("IntakePortion.maximumIntents", IntakePortion.maximumIntents, "intents", "Of one transaction."),
                Bound(
                    "IntakePortion.maximumBytes", IntakePortion.maximumBytes, "bytes", "Of one transaction: rows hold about as much again."),
                Bound("LaneBalance.target", LaneBalance.target, "If an urgent batch takes longer, bulk work yields."),
                Bound("LaneBalance.firstPause", LaneBalance.firstPause, "Before a bulk batch, while urgent takes too long; it doubles."),
                Bound("LaneBalance.longestPause", LaneBalance.longestPause, "Bulk work never stops altogether."),
                Bound("LaneBalance.relief", LaneBalance.relief, "Taken off the pause in each second in which urgent batches are in time."),
                Bound("LaneBalance.reaction", LaneBalance.reaction, "Between two doublings of the pause."),
                Bound("LaneBalance.memory", LaneBalance.memory, "After this time without urgent work, bulk goes on at once."),
                Bound("Intake.longestPause", Intake.longestPause, "Between two tries while the database is away."),
                Bound(
                    "PublishBacklog.limit", PublishBacklog.limit, "packs",
                    "Wait in memory while the broker takes nothing, so that the backlog that raised its alarm can drain."),
                Bound("PublishBacklog.maximumBytes", PublishBacklog.maximumBytes, "bytes", "Of waiting packs, plus one batch."),
                Bound(
                    "RefusalLine.limit", RefusalLine.limit, "packs", "Of one lane that the broker refused; a releaser publishes the rest."),
                Bound("RefusalLine.limitOfQueue", RefusalLine.limitOfQueue, "packs", "Of these, for one queue: it may stay full."),
                Bound("RefusalLine.maximumBytes", RefusalLine.maximumBytes, "bytes", "Of these packs, for each lane."),
                Bound("RefusalLine.batch", RefusalLine.batch, "packs", "Of one queue that follow when the broker took one of them."),
                Bound(
                    "RefusedPacks.longestAnswer", RefusedPacks.longestAnswer,
                    "To a refused pack that is published again; then a releaser does it."),
                Bound("RefusalLine.patience", RefusalLine.patience, "Then a refused pack is left to a releaser, well before it takes it."),
                Bound("RefusalLine.longestPause", RefusalLine.longestPause, "Between two trials of a queue that refuses its packs."),
                Bound(
                    "ConfirmNotes.delay", ConfirmNotes.delay, "From a confirm to its note: most packs are settled by then and need none."),
                Bound("BatchLoop.pauseBeforeRequeue", BatchLoop.pauseBeforeRequeue, "Before a batch that failed is requeued."),
                Bound("ConfirmNotes.limit", ConfirmNotes.limit, "packs", "Wait for their note; the oldest beyond are published again."),
                Bound(
                    "SuspectTrial.prefetch", SuspectTrial.prefetch, "messages", "A message that kills its process takes no others along."),
                Bound("SuspectTrial.trials", SuspectTrial.trials, "trials", "A machine may die in any of them; then it is quarantined."),
                Bound(
                    "TopologySpec.deliveryLimit", Int(TopologySpec.deliveryLimit), "returns",
                    "Then the broker sets a message aside as suspect."),
                Bound("Pack.maximumEntries", Pack.maximumEntries, "deliveries", "Of one pack."),
                Bound("Pack.maximumBytes", Pack.maximumBytes, "bytes", "Of one pack, unless one delivery alone is larger."),
                Bound("Verdict.longestValidity", Verdict.longestValidity, "Then a decision is made again: preferences and devices change."),
                Bound("Verdict.unknownZonePause", Verdict.unknownZonePause, "Between two judgements while a person's zone is unknown."),
            ]
    }

    private static var signals: [Bound] {
        [
            Bound("InboxSignal.maximumPeople", InboxSignal.maximumPeople, "people", "Of one signal; a batch with more becomes several."),
            Bound("InboxSignal.maximumIDs", InboxSignal.maximumIDs, "ids", "New or changed, of one person in a signal."),
            Bound("InboxSignal.maximumBytes", InboxSignal.maximumBytes, "bytes", "Of one signal; a larger message is ignored."),
            Bound("InboxSignal.maximumNameBytes", InboxSignal.maximumNameBytes, "bytes", "Of a tenant or recipient in a signal."),
            Bound("InboxSignal.Kind.maximumBytes", InboxSignal.Kind.maximumBytes, "bytes", "Of the name of a topic in a signal."),
            Bound("AMQPAnnouncer.standardMessages", AMQPAnnouncer.standardMessages, "messages", "Wait for the link of signals."),
            Bound("AMQPAnnouncer.standardBytes", AMQPAnnouncer.standardBytes, "bytes", "Of these; further signals are dropped."),
            Bound("InboxSignals.longestPause", InboxSignals.longestPause, "Between two attempts to connect: no work waits for signals."),
            Bound("SignalFeed.queueLength", SignalFeed.queueLength, "messages", "Wait in the broker for one process; the oldest go first."),
            Bound("SignalFeed.queueBytes", SignalFeed.queueBytes, "bytes", "Of these."),
            Bound("SignalFeed.prefetch", SignalFeed.prefetch, "messages", "Unsettled in one process."),
            Bound(
                "SignalFeed.maximumPeople", SignalFeed.maximumPeople, "people",
                "Wait for the owner of a feed. With one more, it reads everybody again."),
        ] + Bound.batch("SignalFeed.batch", SignalFeed.batch, "A signal hardly waits for others.")
    }

    private static var release: [Bound] {
        [
            Bound("Releaser.interval", Releaser.interval, "Between two looks: a due delivery is noticed this late at most."),
            Bound("Releaser.batch", Releaser.batch, "deliveries", "Of one transaction, and as many again that were paused."),
            Bound("Releaser.strangeRows", Releaser.strangeRows, "rows", "Of a newer version that one releaser passes over."),
            Bound("Steadiness.required", Steadiness.required, "The database answers so long without a break before packs are recovered."),
            Bound("Steadiness.longestGap", Steadiness.longestGap, "Between two answers of the database; a longer one is a break."),
            Bound("Steadiness.longestTurn", Steadiness.longestTurn, "A recovery whose statement waited longer takes no pack apart."),
            Bound(
                "Store.heartbeatSeconds", .seconds(Store.heartbeatSeconds),
                "A worker with a younger heartbeat lives, and keeps its packs beyond the lease."),
            Bound(
                "Store.livingWorkerSeconds", .seconds(Store.livingWorkerSeconds),
                "Beyond the lease. A worker that has not settled by then does not know of its claim."),
            Bound(
                "Store.strandedAfterSeconds", .seconds(Store.strandedAfterSeconds),
                "A pack in a queue without a consumer is routed again after this."),
            Bound("SnoozeWaker.interval", SnoozeWaker.interval, "Between two looks for snoozes that are over."),
            Bound("Upkeep.strandedBatch", Upkeep.strandedBatch, "packs", "Taken back in one step from queues without a consumer."),
            Bound("Store.cancelLooks", Store.cancelLooks, "looks", "Of a cancel for deliveries that move meanwhile."),
            Bound("Releaser.packBatch", Releaser.packBatch, "packs", "Published again in one turn."),
            Bound("Releaser.recoveryBatch", Releaser.recoveryBatch, "packs", "Recovered in one turn, so that a turn stays short."),
            Bound("Releaser.maximumBytes", Releaser.maximumBytes, "bytes", "Of the intents or packs of one turn; one more may exceed it."),
            Bound("Store.releaseLimit", Store.releaseLimit, "packs", "Unfinished in one queue. Further deliveries wait in a table."),
            Bound(
                "Store.confirmTimeoutSeconds", .seconds(Store.confirmTimeoutSeconds),
                "Then an unconfirmed pack is published again. A living publisher has stopped waiting by then."),
            Bound(
                "Store.missingAfterSeconds", .seconds(Store.missingAfterSeconds),
                "A confirmed pack that no sample of its queue shows is missing then."),
            Bound(
                "Store.sampleSpacingSeconds", .seconds(Store.sampleSpacingSeconds),
                "No process samples a queue again sooner than this."),
            Bound("Relay.interval", Relay.interval, "The longest wait of an enqueued event before it is published."),
            Bound("Relay.longestPause", Relay.longestPause, "After turns of which the broker took nothing; it doubles."),
            Bound("Relay.refusedInterval", Relay.refusedInterval, "Between two tries of events that the broker refused too often."),
            Bound("Relay.batch", Relay.batch, "events", "Of one turn, claimed until the broker confirms them."),
            Bound("Relay.maximumBytes", Relay.maximumBytes, "bytes", "Of these events; one event more may exceed it."),
            Bound("Relay.measureInterval", Relay.measureInterval, "Between two measurements of the SQL outbox."),
            Bound(
                "Store.outboxLeaseSeconds", .seconds(Store.outboxLeaseSeconds), "Then another relay publishes a dead relay's events."),
            Bound("Store.outboxTries", Store.outboxTries, "tries", "Of one event together with others."),
            Bound("Pauses.limit", Pauses.limit, "pauses", "In force at once: each role keeps all of them."),
        ]
    }

    private static var connections: [Bound] {
        [
            Bound(
                "Runtime.poolSize", Runtime.poolSize, "connections",
                "Of one process to PostgreSQL: two batches routed, two settled, chores."),
            Bound(
                "Runtime.urgentPoolSize", Runtime.urgentPoolSize, "connections",
                "In addition, for urgent work alone: it never waits for bulk work to return a connection."),
            Bound(
                "Runtime.deletionPause", Runtime.deletionPause,
                "A deleted queue is declared again then; the broker may not have told all its consumers earlier."),
            Bound("PostgresPool.standardAcquireTimeout", PostgresPool.standardAcquireTimeout, "Waiting for a free connection."),
            Bound(
                "PostgresPool.idleInTransactionLimit", PostgresPool.idleInTransactionLimit, "The server ends a dead process's transactions."
            ),
            Bound(
                "PostgresConfiguration.answerGrace", PostgresConfiguration.answerGrace,
                "Beyond the statement's time-out, for the server's own answer."),
            Bound(
                "PostgresPool.lookInterval", PostgresPool.lookInterval,
                "Between two looks for sessions whose commits still wait for a standby; they count against the pool."),
            Bound("PostgresPool.lookLimit", PostgresPool.lookLimit, "Of one such look."),
            Bound(
                "HostOrder.avoidance", HostOrder.avoidance,
                "A host of the database's URL that failed or takes no writes is tried last for this time."),
            Bound("PreparedStatements.limit", PreparedStatements.limit, "statements", "Kept parsed by the server for each session."),
            Bound("PostgresConnection.pipelineLimit", PostgresConnection.pipelineLimit, "statements", "Of one pipeline."),
            Bound("AMQPConfiguration.maximumNodes", AMQPConfiguration.maximumNodes, "nodes", "Of one cluster, named in the URL."),
            Bound(
                "AMQPConfiguration.shortestNodePause", AMQPConfiguration.shortestNodePause,
                "A node that could not serve is tried last for so long; it doubles."),
            Bound(
                "AMQPConfiguration.standardMoveInterval", AMQPConfiguration.standardMoveInterval,
                "Between two questions of a connection whether it moves to a node with fewer connections."),
            Bound("AMQPConfiguration.longestNodePause", AMQPConfiguration.longestNodePause, "The longest such time."),
            Bound(
                "AMQPPublisher.standardWindow", AMQPPublisher.standardWindow, "messages",
                "In flight; the most a lost connection can duplicate."),
            Bound(
                "AMQPPublisher.standardBytesInFlight", AMQPPublisher.standardBytesInFlight, "bytes",
                "In flight, unless one message is larger."),
            Bound(
                "AMQPPublisher.standardConfirmTimeout", AMQPPublisher.standardConfirmTimeout,
                "A broker cut off from its cluster may never answer; time spent blocked does not count."),
            Bound(
                "AMQPPublisher.standardRepublishes", AMQPPublisher.standardRepublishes, "times",
                "Then the outcome is unknown, and a releaser takes over."),
            Bound(
                "AMQPPublisher.standardRefusalPatience", AMQPPublisher.standardRefusalPatience,
                "Then a connection on which messages are refused is replaced, to find the queue's new leader. Doubles if that is no help."),
            Bound("AMQPConsumer.idleLimit", AMQPConsumer.idleLimit, "Then a consumer opens a new channel, in case the broker forgot it."),
            Bound(
                "AMQPConsumer.lookInterval", AMQPConsumer.lookInterval,
                "Then an idle consumer asks another node whether messages wait: its own may be cut off."),
            Bound("AMQPConsumer.settlementGrace", AMQPConsumer.settlementGrace, "For the broker to act on the last settlements."),
        ]
    }

    private static var retention: [Bound] {
        [
            Bound("RejectedBudget.bytesADay", Int(RejectedBudget.bytesADay), "bytes", "Of refused events kept in a day of UTC."),
            Bound(
                "RejectedBudget.bytesADayOfTenant", Int(RejectedBudget.bytesADayOfTenant), "bytes",
                "Of these, for one tenant: half of the day is left to the others."),
            Bound(
                "RejectedBudget.shares", Int(RejectedBudget.shares), "shares", "Tenants counted by a hash: a producer may name any number."),
            Bound("RejectedBudget.parts", Int(RejectedBudget.parts), "counters", "Of one share: routers seldom wait for each other."),
            Bound(
                "Store.refusedPruneBatch", Int(Store.refusedPruneBatch), "rows", "Rejected or dead rows looked at in one turn of retention."
            ),
            Bound("Store.inboxRetention", Store.inboxRetention, "An entry of an inbox is kept after it arrived."),
            Bound("Store.inboxDeletedKept", Store.inboxDeletedKept, "A deleted entry keeps its row after the limit for undo."),
            Bound("Store.inboxPruneBatch", Int(Store.inboxPruneBatch), "entries", "Of inboxes deleted in one turn of retention."),
            Bound("Store.inboxWakeBatch", Int(Store.inboxWakeBatch), "people", "Whose snoozed entries one turn wakes."),
            Bound("Store.inboxWakesPerPerson", Int(Store.inboxWakesPerPerson), "entries", "Of one person that one turn wakes."),
            Bound("Store.reservationsKept", Store.reservationsKept, "An id that was promised over HTTP; longer if only it knows the id."),
            Bound("Store.reservationPruneBatch", Int(Store.reservationPruneBatch), "ids", "That one step of their retention looks at."),
            Bound("Upkeep.idleReservationSteps", Upkeep.idleReservationSteps, "steps", "Without a deletion; then the next round goes on."),
            Bound("Store.requestNamesKept", Store.requestNamesKept, "The header Idempotency-Key is remembered."),
            Bound("Store.requestNamePruneBatch", Int(Store.requestNamePruneBatch), "names", "Of requests forgotten in one turn."),
            Bound("Store.keyUseInterval", Store.keyUseInterval, "Between two records of the use of an API key."),
            Bound("Store.reconcileBatch", Store.reconcileBatch, "ids", "Of one statement of tidings reconcile."),
            Bound(
                "Store.openRefusedCounted", Int(Store.openRefusedCounted), "rows",
                "The newest, counted for a gauge and by status; more are told as this many."),
            Bound("Store.tallyTotals", Int(Store.tallyTotals), "totals", "Beyond it a tenant without a total gets none; sums stay true."),
            Bound(
                "Store.tallyFoldBatch", Int(Store.tallyFoldBatch), "totals",
                "Of tenants of long ago, added to those of no tenant in one turn."),
        ]
    }

    private static var processes: [Bound] {
        [
            Bound("RolesService.drainLimit", RolesService.drainLimit, "The longest time of a stop: longer than a provider's deadline."),
            Bound("StopDeadline.limit", StopDeadline.limit, "Then the process ends, even if work waits for servers that are away."),
            Bound("RolesService.heartbeatInterval", RolesService.heartbeatInterval, "Between two heartbeats; six missing ones mean lost."),
            Bound(
                "RolesService.farewell", RolesService.farewell,
                "The longest time of the last heartbeat, which tells other processes of the end."),
            Bound(
                "CatalogueSource.refreshInterval", CatalogueSource.refreshInterval, "Between two looks at the catalogue and the pauses."
            ),
            Bound("TimelineWatch.interval", TimelineWatch.interval, "Between two looks at the timeline of the database."),
            Bound(
                "TimelineWatch.checksBetweenQuestions", TimelineWatch.checksBetweenQuestions, "checks",
                "Then a process asks whether the broker still has its notes: somebody may delete the exchange."),
            Bound(
                "TimelineGuard.longestNotePause", TimelineGuard.longestNotePause, "checks",
                "The most between two attempts to note the timeline at a broker that refuses the note."),
            Bound(
                "BrokerTimelineRegister.patience", BrokerTimelineRegister.patience,
                "For the broker's answer about a timeline; then the process goes on with what it knows."),
            Bound(
                "BrokerTimelineRegister.notedBelow", Int(BrokerTimelineRegister.notedBelow), "timelines",
                "Noted as old with a new one: the promotions before noted the earlier ones."),
            Bound(
                "BrokerTimelineRegister.acceptedAbove", Int(BrokerTimelineRegister.acceptedAbove), "timelines",
                "Forgotten by tidings db accept-timeline."),
            Bound("TimelineGuard.phaseGap", TimelineGuard.phaseGap, "Refusals that follow each other within this time are logged once."),
            Bound("ZoneWatch.interval", ZoneWatch.interval, "Between two looks at the zone data: at most 1,025 files are looked at."),
            Bound(
                "Store.catalogueLook", Store.catalogueLook, "rows", "Looked at to see what a new catalogue would leave without its type."),
            Bound("Store.tenantLook", Store.tenantLook, "rows", "Of each table, in which a pause looks for tenants of a similar name."),
            Bound(
                "DatabaseOutage.limit", DatabaseOutage.limit,
                "A longer silence of the database gets a line in the log, and so does its end."),
            Bound("DatabaseOutage.interval", DatabaseOutage.interval, "Between two looks for such a silence."),
            Bound(
                "DatabaseOutage.longestGap", DatabaseOutage.longestGap,
                "Between two looks; after a longer one the process had been stopped."),
            Bound("Reminder.interval", Reminder.interval, "Between two lines of the log about the same failing operation."),
            Bound("Readiness.longestSilence", Readiness.longestSilence, "Of the database, before /health/ready says so."),
            Bound("Readiness.longestBlock", Readiness.longestBlock, "Of a link by an alarm of the broker, before /health/ready says so."),
            Bound("CommitWatch.longestSilence", CommitWatch.longestSilence, "Without a committed heartbeat; then commits wait."),
            Bound("CommitWatch.patience", CommitWatch.patience, "Of refused commits; then the database lacks disk or the like."),
            Bound("CommitWatch.memory", CommitWatch.memory, "Of a refused commit; while it is refused, it is tried again sooner."),
            Bound("WorkWatch.patience", WorkWatch.patience, "Without a confirm, or a commit of intents: longer than most failovers."),
            Bound("WorkWatch.memory", WorkWatch.memory, "Of a message that was refused or got no confirm."),
            Bound("Pulse.retryInterval", Pulse.retryInterval, "Between two tries of a heartbeat that failed."),
        ]
    }

    private static var house: [Bound] {
        [
            Bound("HealthServer.longestRequest", HealthServer.longestRequest, "A scrape takes milliseconds."),
            Bound("Settings.retention", Settings.retention, "Notifications are kept after their day; idempotency keys twice as long."),
            Bound(
                "ConfiguredProvider.lookInterval", ConfiguredProvider.lookInterval,
                "Between two looks at the files of a provider's settings."),
            Bound(
                "Store.devicesPerPerson", Store.devicesPerPerson, "devices",
                "Active; with one more, the one registered longest ago is retired."),
            Bound(
                "Store.goneDevicesPerPerson", Store.goneDevicesPerPerson, "devices", "Kept for the record; the oldest beyond are forgotten."
            ),
            Bound("DeviceToken.longest", DeviceToken.longest, "bytes", "Firebase's have about 160 and may grow."),
            Bound("DeviceToken.longestWritten", DeviceToken.longestWritten, "bytes", "A browser's subscription with all its spaces."),
            Bound("Store.largestBadge", Store.largestBadge, "notifications", "On an app's icon; more are counted as this many."),
            Bound("Store.largestInboxPage", Store.largestInboxPage, "entries", "On one page of an inbox."),
            Bound("Store.inboxSweepNames", Store.inboxSweepNames, "ids", "Of the entries that one change of many names."),
            Bound("Store.inboxSweepStep", Int(Store.inboxSweepStep), "entries", "Of a listing that one step of a change of many looks at."),
            Bound("Store.inboxWatchersPerQuery", Store.inboxWatchersPerQuery, "people", "Whose inboxes one query looks at."),
            Bound("Store.inboxUndoLimit", Store.inboxUndoLimit, "In which a deletion or dismissal can be taken back."),
            Bound("Store.inboxAuditSlice", Store.inboxAuditSlice, "people", "Whose inboxes one statement of tidings db verify recounts."),
            Bound("Store.partitionDaysAhead", Store.partitionDaysAhead, "days", "A week without any releaser loses nothing."),
            Bound("Store.tallyBatch", Int(Store.tallyBatch), "rows", "Rolled up in one turn."),
            Bound("DuplicateWatch.memory", DuplicateWatch.memory, "batches", "Without a duplicate, before none is expected."),
            Bound("Store.keysStayRecent", Store.keysStayRecent, "Idempotency keys are claimed in a small table, and moved after this."),
            Bound("Store.moveBatch", Int(Store.moveBatch), "rows", "Idempotency keys looked at in one step of moving them."),
            Bound("Upkeep.keyMovesPerRound", Upkeep.keyMovesPerRound, "steps", "Of moving idempotency keys, every five seconds."),
            Bound("Store.pruneBatch", Int(Store.pruneBatch), "rows", "Idempotency keys forgotten in one turn."),
            Bound("Upkeep.interval", Upkeep.interval, "Between two rounds of the quick chores."),
            Bound("Upkeep.roundsBetweenPartitions", Upkeep.roundsBetweenPartitions, "rounds", "Between two looks at old data."),
            Bound("DatabaseClock.maximumSkewSeconds", .seconds(DatabaseClock.maximumSkewSeconds), "Ids carry the database's time."),
        ]
    }
}
