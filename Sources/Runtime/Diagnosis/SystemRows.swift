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
        let now = try await store.operations.readingTime()
        states = try await store.operations.stateCounts()
        pauses = try await store.pausing.list()
        yields = try await store.operations.bulkYields()
        queues = try await store.operations.queues()
        let heard = try await store.operations.workers()
        unaccounted = try await store.operations.unaccounted()
        var reading = SystemReading(now: now)
        reading.workers = try heard.compactMap(SystemReading.Worker.init)
        reading.queues = try queues.map(SystemReading.Queue.init)
        // Without the catalogue no queue counts as left over. doctor says why the catalogue cannot be read.
        if let catalogue = try? await CatalogueSource(store, builtIn: .ofBinary).current.catalogue {
            reading.ownQueues = Set(TopologySpec.spec(for: catalogue).queues.map(\.name))
            reading.producers = .init(
                areNamed: !catalogue.producers.isEmpty, vouching: catalogue.producers.filter(\.value.vouches).map(\.key))
        }
        reading.overdue = try await store.operations.overdue().map(SystemReading.Overdue.init)
        reading.openBreakers = try await store.operations.openBreakers().map(SystemReading.OpenBreaker.init)
        reading.failures = try await store.operations.recentFailures().map(SystemReading.Failed.init)
        let outbox = try await store.outbox.row()
        reading.enqueued = try outbox.column("waiting")
        reading.enqueuedSince = try outbox.column("oldest_at")
        let refused = try await store.operations.refusedToday()
        reading.rejected = try refused.column("rejected")
        reading.dead = try refused.column("dead")
        reading.unaccounted = try unaccounted.map { .init(kind: try $0.column("kind"), count: try $0.column("n")) }
        reading.unconfirmed = try SystemReading.Unconfirmed(try await store.operations.unconfirmed())
        let commits = try await store.operations.commitWaits()
        reading.commits = .init(standbys: try SynchronousStandbys(commits), waiting: try commits.column("waiting"))
        reading.pauses = try pauses.map(SystemReading.Paused.init)
        reading.failover = try await store.lastFailover().map(SystemReading.Failover.init)
        self.reading = reading
        // List a stopped process for a minute only: a deploy stops processes on purpose, and a minute is enough to see that.
        workers = try heard.filter { row in
            guard try row.column("state", as: String.self) == SystemReading.Worker.State.stopped.rawValue else { return true }
            return try row.column("stopped_at", as: Timestamp?.self).map { now - $0 <= .seconds(60) } ?? true
        }
    }
}

extension SystemReading.Worker {
    /// Nil for a row with a state of a newer version.
    fileprivate init?(_ row: JSON) throws {
        guard let state = State(rawValue: try row.column("state")) else { return nil }
        self.init(
            id: try row.column("worker_id"), role: try row.column("role"), state: state, startedAt: try row.column("started_at"),
            heartbeatAt: try row.column("heartbeat_at"), stoppedAt: try row.column("stopped_at"), providers: try row.column("providers"),
            obstacles: try row.column("obstacles", as: [JSON]?.self)?.compactMap(SystemReading.Obstacle.init) ?? [],
            brokerUser: try row.column("broker_user"))
    }
}

extension SystemReading.Obstacle {
    /// Nil for an obstacle of a newer version.
    fileprivate init?(_ row: JSON) throws {
        guard let kind = WorkerObstacle.Kind(rawValue: try row.column("kind")) else { return nil }
        self.init(kind: kind, detail: try row.column("detail", as: String?.self) ?? "", since: try row.column("since"))
    }
}

extension SystemReading.Unconfirmed {
    /// Nil without rows.
    fileprivate init?(_ rows: [JSON]) throws {
        guard let since = try rows.map({ try $0.column("oldest_at", as: Timestamp.self) }).min() else { return nil }
        self.init(packs: try rows.reduce(0) { $0 + (try $1.column("packs")) }, since: since)
    }
}

extension SystemReading.Queue {
    fileprivate init(_ row: JSON) throws {
        self.init(
            name: try row.column("queue"), ready: try row.column("ready"), consumers: try row.column("consumers"),
            sampledAt: try row.column("sampled_at"), packs: try row.column("packs", as: Int?.self) ?? 0,
            waitingSince: try row.column("waiting_since"), drainedPerSecond: try row.column("drained_per_second"))
    }
}

extension SystemReading.Failover {
    fileprivate init(_ row: JSON) throws {
        self.init(
            timeline: try row.column("timeline"), previousTimeline: try row.column("previous_timeline"),
            isOtherCluster: try row.column("system_identifier", as: Int.self) != row.column("previous_system_identifier", as: Int.self),
            seenAt: try row.column("seen_at"))
    }
}

extension SystemReading.Overdue {
    fileprivate init(_ row: JSON) throws {
        self.init(
            lane: try row.column("lane"), channel: try row.column("channel"), provider: try row.column("provider"),
            deliveries: try row.column("deliveries"), oldestAt: try row.column("oldest_at"), isSaturated: try row.column("is_saturated"))
    }
}

extension SystemReading.OpenBreaker {
    fileprivate init(_ row: JSON) throws {
        self.init(
            channel: try row.column("channel"), provider: try row.column("provider"), deliveries: try row.column("deliveries"),
            since: try row.column("since_at"))
    }
}

extension SystemReading.Failed {
    fileprivate init(_ row: JSON) throws {
        self.init(
            channel: try row.column("channel"), provider: try row.column("provider"), state: try row.column("state"),
            reason: try row.column("reason_code"), deliveries: try row.column("deliveries"),
            sample: try row.column("sample_id", as: String?.self) ?? "")
    }
}

extension SystemReading.Paused {
    fileprivate init(_ row: JSON) throws {
        let (scope, target): (String, String) = (try row.column("scope"), try row.column("target"))
        self.init(
            target: "\(scope) \(target)", reason: try row.column("reason"), by: try row.column("paused_by"),
            since: try row.column("since_at"), deliveries: try row.column("deliveries"))
    }
}
