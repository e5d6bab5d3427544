/// Every metric of a process, with its name, unit, meaning and labels. This file is the list of all metrics.
///
/// Durations are in seconds and sizes in bytes. A metric that only grows ends in `_total`, as Prometheus asks. Labels have closed or
/// bounded sets of values. A recipient, an id or a producer's text is never a label value.
public final class Metrics: Sendable {
    /// The results of intents. `erased`: dropped, because the intent names a person who was erased.
    public enum IntentResult: String, CaseIterable, Sendable { case accepted, duplicate, rejected, erased }

    /// The steps of a batch: `route` decides and writes intents, `inbox` writes inbox rows, `claim` and `settle` run before and after calls
    /// to providers. `release` takes deliveries that are due and judges them again.
    public enum Step: String, CaseIterable, Sendable { case route, inbox, claim, settle, release }

    /// The ends of signals. A sender counts `published` and `dropped`. A process that follows signals counts `received`, `ignored` (not of
    /// this version) and `overrun` (received too fast, so that changes became a gap).
    public enum SignalResult: String, CaseIterable, Sendable { case published, dropped, received, ignored, overrun }

    public enum Lane: String, CaseIterable, Sendable { case urgent, bulk }

    /// The kinds of callers whose bodies the API holds. A provider proves itself by the headers of a callback. Until then it is a stranger.
    public enum ByteOwner: String, CaseIterable, Sendable { case strangers, people, tenants, providers }

    // Router
    public let intents: ClosedFamily<IntentResult, Counter>
    public let packsPublished: Counter
    public let packsConfirmed: Counter
    public let packsWaiting: Gauge
    public let packsRefused: Gauge
    public let bulkPause: Gauge
    // Workers
    public let deliveries: Family<Counter>
    public let providerCalls: Family<Histogram>
    public let providerCallsInFlight: Family<Gauge>
    public let providerCallsDeferred: Family<Counter>
    // API
    public let callbacks: Family<Counter>
    public let receipts: Family<Counter>
    public let engagementEvents: Family<Counter>
    public let apiRequests: Family<Counter>
    public let apiRequestDuration: Family<Histogram>
    public let apiRefusals: Family<Counter>
    public let apiOverflow: ClosedFamily<Lane, Counter>
    public let apiStreams: Gauge
    public let apiBytesInWork: ClosedFamily<ByteOwner, Gauge>
    // Releaser
    public let released: ClosedFamily<Lane, Counter>
    public let recovered: Counter
    public let packsRepublished: Counter
    public let eventsRelayed: Counter
    public let erasures: Counter
    public let outboxWaiting: Gauge
    public let outboxOldest: Gauge
    public let outboxRefused: Gauge
    public let rejectedOpen: Gauge
    public let deadOpen: Gauge
    public let rejectedBytes: Gauge
    public let rejectedWithoutBytes: Gauge
    // Every role
    public let signals: ClosedFamily<SignalResult, Counter>
    public let batchDuration: ClosedFamily<Step, Histogram>
    public let brokerConnected: Family<Gauge>
    public let brokerBlocked: Family<Gauge>
    public let brokerReconnects: Counter
    public let brokerNodesLeft: Counter
    public let databaseUp: Gauge
    public let ready: Gauge
    public let live: Gauge

    private let families: [any MetricFamily]

    /// - Parameter version: the version of the binary.
    public init(version: String) {
        var list = MetricList()
        intents = list.closed("tidings_intents_total", "Intents decided and committed, one for each recipient.", label: "result")
        packsPublished = list.single("tidings_packs_published_total", "Packs handed to the broker for the first time by this process.")
        packsConfirmed = list.single("tidings_packs_confirmed_total", "Packs that the broker confirmed to this process, first or again.")
        packsWaiting = list.single("tidings_packs_waiting", "Committed packs in memory that the broker has not answered for yet.")
        packsRefused = list.single(
            "tidings_packs_refused", "Packs in memory that the broker refused, and that this process publishes again.")
        bulkPause = list.single(
            "tidings_bulk_pause_milliseconds", "How long each bulk batch is put off because urgent ones take too long; looked at every 5 s."
        )
        deliveries = list.family(
            "tidings_deliveries_total",
            "Deliveries that left a worker, by the state it recorded. What ends as it is decided, as most inbox entries do, counts as an "
                + "intent only. A pack that came twice may count twice: SQL has the exact figure.",
            labels: "channel", "provider", "state")
        providerCalls = list.family("tidings_provider_call_duration_seconds", "Calls to providers.", labels: "provider", "outcome")
        providerCallsInFlight = list.family(
            "tidings_provider_calls_in_flight", "Calls to providers without an answer yet.", labels: "provider")
        providerCallsDeferred = list.family(
            "tidings_provider_calls_deferred_total", "Deliveries put off without a call: no room, over the rate, or a breaker open.",
            labels: "provider", "reason")
        callbacks = list.family(
            "tidings_callbacks_total",
            "Reports of providers by their result, unreadable events, and refused requests: unauthenticated, malformed or rateLimited.",
            labels: "provider", "result")
        (receipts, engagementEvents) = Self.engagement(&list)
        (apiRequests, apiRequestDuration, apiRefusals, apiOverflow) = Self.requests(&list)
        apiStreams = list.single("tidings_api_streams", "Open event streams.")
        apiBytesInWork = list.closed(
            "tidings_api_bytes_in_work", "Bytes of bodies whose requests are not answered yet, by the kind of caller.", label: "caller")
        released = list.closed("tidings_deliveries_released_total", "Deliveries whose time had come.", label: "lane")
        recovered = list.single("tidings_deliveries_recovered_total", "Deliveries taken back from workers that stopped.")
        packsRepublished = list.single("tidings_packs_republished_total", "Packs published again because no confirm was recorded.")
        eventsRelayed = list.single("tidings_events_relayed_total", "Events enqueued by SQL that the broker confirmed.")
        erasures = list.single("tidings_erasures_total", "Erasures of people that this process finished.")
        outboxWaiting = list.single(
            "tidings_outbox_events_waiting", "Events enqueued by SQL that no release role has published yet; an estimate above 100,000.")
        outboxOldest = list.single("tidings_outbox_oldest_age_seconds", "Age of the oldest of these events; 0 when none waits.")
        outboxRefused = list.single(
            "tidings_outbox_events_refused", "Of these events, those that the broker has refused more than ten times.")
        rejectedOpen = list.single(
            "tidings_rejected_open",
            "Refused intents that are neither replayed nor discarded, 100000 at most; every releaser tells the same."
        )
        deadOpen = list.single("tidings_dead_open", "Dead letters that are neither replayed nor discarded; as tidings_rejected_open.")
        rejectedBytes = list.single(
            "tidings_rejected_kept_bytes", "Bytes of refused events that were kept on this day of UTC; there is a budget for each day.")
        rejectedWithoutBytes = list.single(
            "tidings_rejected_without_bytes", "Refused events of this day of UTC whose bytes were not kept, as the budget was used up.")
        signals = list.closed(
            "tidings_signals_total",
            "Messages about changed inboxes for processes that follow them, sent or received by this process. A lost one is healed by a "
                + "look at the database.",
            label: "result")
        batchDuration = list.closed("tidings_batch_duration_seconds", "One batch in one step, its transaction included.", label: "step")
        brokerConnected = list.family("tidings_broker_connected", "1 while this link to the broker is up.", labels: "link")
        brokerBlocked = list.family("tidings_broker_blocked", "1 while the broker reads nothing that this link publishes.", labels: "link")
        brokerReconnects = list.single("tidings_broker_reconnects_total", "Connections to the broker beyond the first of each link.")
        brokerNodesLeft = list.single(
            "tidings_broker_nodes_left_total",
            "Times that a node of a cluster could not serve this process, which tries the node last for a while.")
        databaseUp = list.single("tidings_database_up", "1 when the database answered within the last seconds.")
        ready = list.single("tidings_ready", "1 when /health/ready answers 200.")
        live = list.single("tidings_live", "1 when /health/live answers 200.")
        let build: Family<Gauge> = list.family("tidings_build_info", "Always 1; the version is the label.", labels: "version")
        build(version).set(1)
        families = list.families
    }

    /// The metrics of the reports of apps.
    private static func engagement(_ list: inout MetricList) -> (Family<Counter>, Family<Counter>) {
        (
            list.family(
                "tidings_receipts_total",
                "Pushes that devices confirmed, by result: applied, kept, repeated, ignored (in a plan), early, unknown or erased.",
                labels: "result"),
            list.family(
                "tidings_engagement_events_total",
                "Events of apps about their people, by result: stored, repeated, erased, or refused because the person's day is full.",
                labels: "event", "result")
        )
    }

    /// The metrics of every request of the API.
    private static func requests(
        _ list: inout MetricList
    ) -> (Family<Counter>, Family<Histogram>, Family<Counter>, ClosedFamily<Lane, Counter>) {
        (
            list.family(
                "tidings_api_requests_total", "Requests by their operation and the class of their status, such as 2xx.",
                labels: "operation", "status"),
            list.family(
                "tidings_api_request_duration_seconds", "Time until an answer was made. Its way to the client does not count.",
                labels: "operation"),
            list.family(
                "tidings_api_refusals_total",
                "Requests without success by the kind of problem, or by the share that was used up, and refused connections.",
                labels: "reason"),
            list.closed(
                "tidings_api_overflow_total",
                "Notifications whose event went to the overflow queue of a lane: the event is large, or its tenant sends very many.",
                label: "lane")
        )
    }

    /// The number of intents and deliveries that this process has handled since it started, for its heartbeat.
    public var handled: Int {
        let taken = intents.all.reduce(0) { $0 + $1.value } + deliveries.all.reduce(0) { $0 + $1.meter.value }
        return taken + released.all.reduce(0) { $0 + $1.value } + recovered.value
    }

    /// Returns all metrics as a scrape gets them.
    public func text(process: ProcessFigures? = nil) -> String {
        var text = ExpositionText()
        for family in families { family.append(to: &text) }
        if let process {
            text.single("process_resident_memory_bytes", "gauge", "Resident memory size in bytes.", "\(process.residentBytes)")
            text.single("process_cpu_seconds_total", "counter", "Total user and system CPU time spent in seconds.", "\(process.cpuSeconds)")
            text.single(
                "process_start_time_seconds", "gauge", "Start time of the process since unix epoch in seconds.",
                "\(process.startedAtSeconds)")
        }
        return text.text
    }
}

/// The figures of the operating system about this process.
public struct ProcessFigures: Sendable {
    public var residentBytes: Int
    /// The CPU time of all threads, user and system.
    public var cpuSeconds: Double
    /// The start time in seconds since 1970.
    public var startedAtSeconds: Double

    public init(residentBytes: Int, cpuSeconds: Double, startedAtSeconds: Double) {
        self.residentBytes = residentBytes
        self.cpuSeconds = cpuSeconds
        self.startedAtSeconds = startedAtSeconds
    }
}

/// Collects the metrics as they are declared, so that none is missing in the text.
private struct MetricList {
    private(set) var families: [any MetricFamily] = []

    mutating func family<M: Meter>(_ name: String, _ help: String, labels: String...) -> Family<M> {
        add(Family(name, help, labels: labels))
    }

    mutating func closed<Case, M: Meter>(_ name: String, _ help: String, label: String) -> ClosedFamily<Case, M> {
        add(ClosedFamily(name, help, label: label))
    }

    mutating func single<M: Meter>(_ name: String, _ help: String) -> M { add(Family<M>(name, help, labels: []))() }

    private mutating func add<F: MetricFamily>(_ family: F) -> F {
        families.append(family)
        return family
    }
}

extension ExpositionText {
    fileprivate mutating func single(_ name: String, _ type: String, _ help: String, _ value: String) {
        describe(name, type: type, help: help)
        sample(name, [], value)
    }
}
