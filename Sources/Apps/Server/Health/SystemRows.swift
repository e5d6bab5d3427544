import TidingsCatalogue
import TidingsContracts
import TidingsCore
package import TidingsJSON
package import TidingsStore

/// The rows of `tidings_ops` that a reading is made from, as `tidings status -o json` prints them.
package struct SystemRows: Sendable {
    package var states: [JSON] = []
    package var pauses: [JSON] = []
    package var yields: [JSON] = []
    package var queues: [JSON] = []
    package var workers: [JSON] = []
    package var unaccounted: [JSON] = []
    package let reading: SystemReading

    package init(from store: Store) async throws {
        let now = try await store.readingTime()?.time ?? store.clock.now()
        states = try await store.stateCounts()
        pauses = try await store.pauses()
        yields = try await store.bulkYields()
        queues = try await store.queues()
        let heard = try await store.workers()
        unaccounted = try await store.unaccounted()
        var reading = SystemReading(now: now)
        reading.workers = heard.compactMap(SystemReading.Worker.init)
        reading.queues = queues.compactMap(SystemReading.Queue.init)
        // Without the catalogue no queue counts as left over. doctor says why the catalogue cannot be read.
        if let catalogue = try? await CatalogueSource(store).current.catalogue {
            reading.ownQueues = Set(TopologySpec.spec(for: catalogue).queues.map(\.name))
            reading.producers = .init(
                areNamed: !catalogue.producers.isEmpty, vouching: catalogue.producers.filter(\.value.vouches).map(\.key))
        }
        reading.overdue = try await store.overdue().compactMap(SystemReading.Overdue.init)
        reading.openBreakers = try await store.openBreakers().compactMap(SystemReading.OpenBreaker.init)
        reading.failures = try await store.recentFailures().compactMap(SystemReading.Failed.init)
        let outbox = try await store.outbox()
        reading.enqueued = outbox?["waiting"]?.intValue ?? 0
        reading.enqueuedSince = outbox?["oldest_at"]?.time
        let refused = try await store.refusedToday()
        reading.rejected = refused?["rejected"]?.intValue ?? 0
        reading.dead = refused?["dead"]?.intValue ?? 0
        reading.unaccounted = unaccounted.map { .init(kind: $0["kind"]?.stringValue ?? "", count: $0["n"]?.intValue ?? 0) }
        reading.unconfirmed = SystemReading.Unconfirmed(try await store.unconfirmed())
        if let row = try await store.commitWaits() {
            reading.commits = .init(standbys: SynchronousStandbys(row), waiting: row["waiting"]?.intValue ?? 0)
        }
        reading.pauses = pauses.compactMap(SystemReading.Paused.init)
        reading.failover = try await store.lastFailover().flatMap(SystemReading.Failover.init)
        self.reading = reading
        // List a stopped process for a minute only: a deploy stops processes on purpose, and a minute is enough to see that.
        workers = heard.filter { row in
            guard row["state"]?.stringValue == SystemReading.Worker.State.stopped.rawValue else { return true }
            return row["stopped_at"]?.time.map { now - $0 <= .seconds(60) } ?? true
        }
    }
}

extension JSON {
    /// A time as PostgreSQL renders it in JSON.
    fileprivate var time: Timestamp? { stringValue.flatMap { Timestamp(rfc3339: $0) } }
}

// A row that this binary cannot read is left out, such as a row with a word of a newer version.

extension SystemReading.Worker {
    fileprivate init?(_ row: JSON) {
        guard let state = row["state"]?.stringValue.flatMap(State.init(rawValue:)), let started = row["started_at"]?.time,
            let heard = row["heartbeat_at"]?.time
        else { return nil }
        self.init(
            id: row["worker_id"]?.stringValue ?? "", role: row["role"]?.stringValue ?? "", state: state, startedAt: started,
            heartbeatAt: heard, stoppedAt: row["stopped_at"]?.time,
            providers: row["providers"]?.arrayValue?.compactMap(\.stringValue) ?? [],
            obstacles: row["obstacles"]?.arrayValue?.compactMap(SystemReading.Obstacle.init) ?? [],
            brokerUser: row["broker_user"]?.stringValue)
    }
}

extension SystemReading.Obstacle {
    fileprivate init?(_ row: JSON) {
        guard let kind = row["kind"]?.stringValue.flatMap(WorkerObstacle.Kind.init(rawValue:)), let since = row["since"]?.time else {
            return nil
        }
        self.init(kind: kind, detail: row["detail"]?.stringValue ?? "", since: since)
    }
}

extension SystemReading.Unconfirmed {
    fileprivate init?(_ rows: [JSON]) {
        guard let since = rows.compactMap({ $0["oldest_at"]?.time }).min() else { return nil }
        self.init(packs: rows.reduce(0) { $0 + ($1["packs"]?.intValue ?? 0) }, since: since)
    }
}

extension SystemReading.Queue {
    fileprivate init?(_ row: JSON) {
        guard let name = row["queue"]?.stringValue else { return nil }
        self.init(
            name: name, ready: row["ready"]?.intValue, consumers: row["consumers"]?.intValue, sampledAt: row["sampled_at"]?.time,
            packs: row["packs"]?.intValue ?? 0, waitingSince: row["waiting_since"]?.time,
            drainedPerSecond: row["drained_per_second"]?.doubleValue)
    }
}

extension SystemReading.Failover {
    fileprivate init?(_ row: JSON) {
        guard let timeline = row["timeline"]?.intValue, let previous = row["previous_timeline"]?.intValue,
            let seenAt = row["seen_at"]?.time
        else { return nil }
        self.init(
            timeline: timeline, previousTimeline: previous,
            isOtherCluster: row["system_identifier"]?.intValue != row["previous_system_identifier"]?.intValue, seenAt: seenAt)
    }
}

extension SystemReading.Overdue {
    fileprivate init?(_ row: JSON) {
        guard let oldest = row["oldest_at"]?.time else { return nil }
        self.init(
            lane: row["lane"]?.stringValue ?? "", channel: row["channel"]?.stringValue ?? "", provider: row["provider"]?.stringValue ?? "",
            deliveries: row["deliveries"]?.intValue ?? 0, oldestAt: oldest, isSaturated: row["is_saturated"]?.boolValue ?? false)
    }
}

extension SystemReading.OpenBreaker {
    fileprivate init?(_ row: JSON) {
        guard let since = row["since_at"]?.time else { return nil }
        self.init(
            channel: row["channel"]?.stringValue ?? "", provider: row["provider"]?.stringValue ?? "",
            deliveries: row["deliveries"]?.intValue ?? 0, since: since)
    }
}

extension SystemReading.Failed {
    fileprivate init?(_ row: JSON) {
        guard let reason = row["reason_code"]?.stringValue else { return nil }
        self.init(
            channel: row["channel"]?.stringValue ?? "", provider: row["provider"]?.stringValue ?? "",
            state: row["state"]?.stringValue ?? "", reason: reason, deliveries: row["deliveries"]?.intValue ?? 0,
            sample: row["sample_id"]?.stringValue ?? "")
    }
}

extension SystemReading.Paused {
    fileprivate init?(_ row: JSON) {
        guard let since = row["since_at"]?.time else { return nil }
        self.init(
            target: [row["scope"], row["target"]].compactMap { $0?.stringValue }.joined(separator: " "),
            reason: row["reason"]?.stringValue ?? "", by: row["paused_by"]?.stringValue ?? "", since: since,
            deliveries: row["deliveries"]?.intValue ?? 0)
    }
}
