import TidingsCore
import TidingsJSON
import TidingsServer
import TidingsStore

/// The counts of a comparison, and the output of the events to publish again.
struct Reconciliation: Sendable {
    /// Invalid records that are printed one by one. Further ones are only counted.
    private static let shownInvalid = 20

    private let format: OutputFormat
    private var counts: [ReconciledEvent.State: Int] = [:]
    private var reasons: [String: Int] = [:]
    /// Events with fewer notifications than recipients, and without a refusal. ``counts`` has them as accepted.
    private var incomplete = 0
    private var other = 0
    private var invalid: [String] = []
    private var invalidCount = 0
    private var printed = 0
    /// Ids with a line break, which a line of text cannot hold.
    private var unprintable = 0

    init(as format: OutputFormat) { self.format = format }

    var compared: Int { counts.values.reduce(0, +) }
    var toPublish: Int { counts[.missing, default: 0] + incomplete }
    var hasMissing: Bool { counts[.missing, default: 0] > 0 }

    /// Counts a record that is not compared.
    mutating func skip(_ record: EventRecords.Record) {
        switch record {
        case .event: return
        case .other: other += 1
        case .invalid(let number, let why):
            invalidCount += 1
            if invalid.count < Self.shownInvalid { invalid.append("record \(number) \(why)") }
        }
    }

    /// Counts an event, and prints its id if it must be published again.
    ///
    /// - Parameter recipients: the number of people that the producer's record names.
    mutating func count(_ event: ReconciledEvent, recipients: Int) {
        counts[event.state, default: 0] += 1
        if event.state == .rejected, let reason = event.reason { reasons[reason, default: 0] += 1 }
        let isIncomplete = event.state == .accepted && event.notifications < recipients && event.reason == nil
        if isIncomplete { incomplete += 1 }
        if event.state == .missing || isIncomplete { publishAgain(event) }
    }

    private mutating func publishAgain(_ event: ReconciledEvent) {
        let row: JSON = [
            "event_id": .string(event.id), "state": .string(event.state == .missing ? "missing" : "incomplete"),
            "notifications": .number(JSONNumber(Int64(event.notifications))),
        ]
        switch format {
        case .text:
            guard !event.id.utf8.contains(where: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) else {
                unprintable += 1
                return
            }
            Output.data(event.id)
        // An array, row by row: all rows together may be more than memory should hold.
        case .json: Output.data((printed == 0 ? "[" : ",") + row.serialized)
        case .jsonl: Output.data(row.serialized)
        }
        printed += 1
    }

    /// Ends the output, and prints the counts as notes.
    ///
    /// - Parameters:
    ///   - waiting: messages that wait in the intake queues.
    ///   - withoutID: refusals and dead messages that name no event.
    func finish(source: String, since: Timestamp, waiting: Int, withoutID: Int) throws {
        if format == .json { Output.data(printed == 0 ? "[]" : "]") }
        let states = ReconciledEvent.State.allCases.map { "\(counts[$0, default: 0].grouped) \($0.rawValue)" }
        Output.note("\(compared.of("id")) of \(source) since \(since.rfc3339): \(states.joined(separator: ", "))")
        if incomplete > 0 {
            Output.note("\(incomplete.of("accepted event has", "accepted events have")) fewer notifications than recipients")
        }
        if !reasons.isEmpty {
            let named = reasons.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.key) \($0.value.grouped)" }
            Output.note("rejected: \(named.joined(separator: ", ")): see tidings rejected list")
        }
        if other > 0 { Output.note("\(other.of("record names", "records name")) another source or tenant and was not compared") }
        for line in invalid { Output.note(line) }
        if invalidCount > invalid.count { Output.note("and \((invalidCount - invalid.count).of("more invalid record"))") }
        if toPublish > 0 { noteDoubts(waiting: waiting, withoutID: withoutID) }
        try fail()
    }

    /// The ends of a missing event that no record can tell from a loss.
    private func noteDoubts(waiting: Int, withoutID: Int) {
        if waiting > 0 {
            Output.note(
                "\(waiting.of("message waits", "messages wait")) in the intake queues: a missing event may be among them. "
                    + "Compare again when tidings status shows none.")
        }
        if withoutID > 0 {
            Output.note(
                "\(withoutID.of("refused or dead message names", "refused or dead messages name")) no event: a missing event may be among "
                    + "them. See tidings rejected list and tidings dead list.")
        }
        if hasMissing {
            Output.note("an event that was cancelled before a router decided it counts as missing too: published again, it sends nothing")
        }
    }

    private func fail() throws {
        if unprintable > 0 {
            let ids = unprintable.of("id to publish again has", "ids to publish again have")
            throw Failure(.data, "\(ids) a line break and could not be printed", hint: "-o jsonl prints them")
        }
        if invalidCount > 0 {
            throw Failure(
                .data, "\(invalidCount.of("record is", "records are")) invalid",
                hint: toPublish > 0 ? "the other \(toPublish.of("id")) to publish again \(toPublish == 1 ? "was" : "were") printed" : nil)
        }
        if toPublish > 0 {
            throw Failure(
                .bad, "\(toPublish.of("event is", "events are")) to be published again",
                hint: "publish them with the same ids: an event that is known after all is not sent twice")
        }
    }
}
