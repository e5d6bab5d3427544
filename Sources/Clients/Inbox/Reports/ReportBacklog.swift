import Foundation

/// The reports of a queue in the order of their next tries, and the choice of the next request. A value without clock and network.
struct ReportBacklog {
    struct Entry: Hashable, Sendable {
        /// Names the entry in a request.
        let number: Int
        let report: Report
        let addedAt: Date
        /// The wait of a receipt that the server could not take yet.
        var pause = ReportPause()
    }

    private(set) var entries: [Entry] = []
    /// Numbers of the entries of the request on its way. The server may take them, so they are not given up meanwhile.
    private var sending: Set<Int> = []
    /// The wait of all reports.
    private var pause = ReportPause()
    /// The waits of the reports of a kind.
    private var kindPauses: [Report.Kind: ReportPause] = [:]
    private var lastNumber = 0
    /// Events of the next request. Halved while the server refuses a request without naming an event.
    private var eventLimit = Self.maximumEvents

    /// The most reports that wait.
    static let maximumReports = 500
    /// The most events of a request. The server takes 100.
    static let maximumEvents = 50
    /// The most bytes of the events of a request, unless one event alone is larger. The server takes a body of 64 KiB.
    static let maximumBytes = 48 * 1024
    /// A report that waits for longer is given up. The server would no longer know the notification, or the time.
    static let maximumAge = 7.0 * 86_400

    /// Adds reports. Returns the oldest reports that had to go.
    mutating func add(_ reports: [Report], at now: Date) -> [Report] {
        for report in reports { append(report, at: now) }
        return cut()
    }

    /// Takes the oldest reports beyond the limit.
    private mutating func cut() -> [Report] {
        let count = entries.count - Self.maximumReports
        guard count > 0 else { return [] }
        let waiting = entries.filter { !sending.contains($0.number) }
        let surplus = Array(waiting.sorted { $0.addedAt < $1.addedAt }.prefix(count))
        remove(surplus)
        return surplus.map(\.report)
    }

    private mutating func append(_ report: Report, at time: Date) {
        lastNumber += 1
        entries.append(Entry(number: lastNumber, report: report, addedAt: time))
    }

    /// Takes the reports that have waited for too long.
    mutating func expire(at now: Date) -> [Report] {
        let old = entries.filter { now.timeIntervalSince($0.addedAt) > Self.maximumAge && !sending.contains($0.number) }
        remove(old)
        return old.map(\.report)
    }

    /// The entries of the next request: one receipt, or the first events. Empty if there are none, if all of them wait for a pause, and
    /// during a request.
    ///
    /// - Parameter now: By the clock of ``postpone(_:_:after:at:random:)``.
    func next(at now: Duration) -> [Entry] {
        guard sending.isEmpty, let first = entries.first(where: { notBefore($0) <= now }) else { return [] }
        guard case .event = first.report else { return [first] }
        var (batch, bytes): ([Entry], Int) = ([], 0)
        for entry in entries {
            guard case .event(let event) = entry.report else { continue }
            bytes += (try? JSONEncoder().encode(event).count) ?? 0
            guard batch.isEmpty || (bytes <= Self.maximumBytes && batch.count < eventLimit) else { break }
            batch.append(entry)
        }
        return batch
    }

    /// The time of the next request. Nil if no report waits, and during a request.
    var nextTime: Duration? { sending.isEmpty ? entries.map { notBefore($0) }.min() : nil }

    /// The end of the pauses of an entry.
    private func notBefore(_ entry: Entry) -> Duration {
        max(pause.notBefore, kindPauses[entry.report.kind]?.notBefore ?? .zero, entry.pause.notBefore)
    }

    mutating func beginRequest(_ batch: [Entry]) { sending = Set(batch.map(\.number)) }

    mutating func endRequest() { sending = [] }

    mutating func remove(_ batch: [Entry]) {
        let numbers = Set(batch.map(\.number))
        entries.removeAll { numbers.contains($0.number) }
    }

    /// Removes the entries of a request that succeeded, which ends the count of failed tries.
    mutating func accept(_ batch: [Entry]) {
        remove(batch)
        eventLimit = Self.maximumEvents
        pause = ReportPause()
        if let kind = batch.first?.report.kind { kindPauses[kind] = nil }
    }

    /// Begins the pause after a failed request, and puts its entries behind all others, so that a report on which the server always fails
    /// holds nothing up.
    mutating func postpone(
        _ batch: [Entry], _ scope: ReportPause.Scope, after error: InboxError, at now: Duration, random: Double
    ) {
        let numbers = Set(batch.map(\.number))
        entries = entries.filter { !numbers.contains($0.number) } + entries.filter { numbers.contains($0.number) }
        switch scope {
        case .all: pause.begin(after: error, at: now, random: random)
        case .kind:
            for kind in Set(batch.map(\.report.kind)) {
                kindPauses[kind, default: ReportPause()].begin(after: error, at: now, random: random)
            }
        case .receipt:
            for index in entries.indices where numbers.contains(entries[index].number) {
                entries[index].pause.begin(after: error, at: now, random: random)
            }
        }
    }

    /// Ends every pause.
    mutating func endPauses() {
        pause.end()
        for kind in kindPauses.keys { kindPauses[kind]?.end() }
        for index in entries.indices { entries[index].pause.end() }
    }

    /// Forgets the reports and their pauses.
    mutating func clear() {
        entries = []
        eventLimit = Self.maximumEvents
        pause = ReportPause()
        kindPauses = [:]
    }

    /// Halves the next request, to find the event that the server refuses.
    mutating func narrow(_ batch: [Entry]) { eventLimit = max(1, batch.count / 2) }

    // MARK: Storage

    private struct Stored: Codable {
        struct Waiting: Codable {
            var report: Report
            var addedAt: Date
        }

        var version = 1
        var reports: [Waiting]
    }

    /// The entries as bytes for ``restore(_:)``.
    var data: Data {
        get throws { try JSONEncoder().encode(Stored(reports: entries.map { .init(report: $0.report, addedAt: $0.addedAt) })) }
    }

    /// Puts stored reports before those that were added since. Ignores bytes of another form. Returns the oldest reports that had to go.
    mutating func restore(_ data: Data) -> [Report] {
        guard let stored = try? JSONDecoder().decode(Stored.self, from: data), stored.version == 1 else { return [] }
        let added = entries
        entries = []
        for one in stored.reports { append(one.report, at: one.addedAt) }
        entries += added
        return cut()
    }
}
