import Testing
import TidingsTestSupport

/// The result of a schedule, as a line of the table.
struct ClusterReport: Sendable {
    let schedule: ClusterSchedule
    var audit = Conservation.Audit()
    /// The longest time in which no intent was decided.
    var gap = Duration.zero
    /// The longest time from the confirm of an intent to its decision.
    var undecided = Duration.zero
    /// The longest time from the decision about an urgent webhook to its first call.
    var urgent = Duration.zero
    /// The time from the end of the faults until everything confirmed by then had ended.
    var recovery = Duration.zero
    /// The intents that an asynchronous standby lost, and those of them that `tidings reconcile` named.
    var lostBefore = 0
    var named = 0
    /// The time from the beginning of the fault until the first look that was not green, by `ready`, `status` and `doctor`.
    var firstNotGreen: [String: Duration] = [:]
    /// The roles that ended by themselves.
    var fallen: [String] = []
    /// The bars that the schedule has met or missed.
    var bar = Bar()

    init(schedule: ClusterSchedule) { self.schedule = schedule }

    /// Fails the test for each part of the promise that does not hold.
    mutating func judge() {
        let promise = schedule.promise
        #expect(audit.lost == 0, "confirmed intents are lost")
        #expect(audit.unaccounted == 0)
        if promise.loss == .nothing { #expect(audit.silent == 0, "sent again without a row that says so") }
        audit.expectTrueRecords()
        #expect(fallen.isEmpty, "roles ended by themselves")
        expect(undecided, within: promise.undecided, "an intent was undecided")
        expect(urgent, within: promise.urgent, "an urgent webhook waited for its first call")
        expect(recovery, within: promise.inOrder, "all was in order")
        guard let limit = promise.noticed else { return }
        #expect(!firstNotGreen.isEmpty, "health was green all the time")
        if let first = firstNotGreen.values.min() { expect(first, within: limit, "health was green") }
    }

    private mutating func expect(_ time: Duration, within limit: Duration?, _ words: String) {
        guard let limit else { return }
        bar.expect(time <= limit, "\(words) for \(HealthObserver.seconds(time)), the bar is \(HealthObserver.seconds(limit))")
    }

    static let heading = [
        "| schedule | steps | intents | lost | twice | sent again (with a row) | unexplained | unaccounted | verify | gap | undecided "
            + "| urgent | first not green: ready, status, doctor | in order after |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- | ---: |",
    ]

    /// The line in Markdown.
    var line: String {
        let lost = schedule.promise.loss == .nothing ? "\(audit.lost)" : "\(lostBefore), named \(named)"
        let seen = ["ready", "status", "doctor"].map { firstNotGreen[$0].map(HealthObserver.seconds) ?? "–" }
        let times = [gap, undecided, urgent].map(HealthObserver.seconds)
        let counts: [String] = [
            "\(audit.confirmed)", lost, "\(audit.twice)", "\(audit.extra) (\(audit.admitted))", "\(audit.silent)", "\(audit.unaccounted)",
            audit.verification.isEmpty ? "clean" : "wrong",
        ]
        let steps = ClusterStep.words(schedule.preparation + schedule.steps)
        let cells = [schedule.name, steps] + counts + times + [seen.joined(separator: ", "), HealthObserver.seconds(recovery)]
        return "| " + cells.joined(separator: " | ") + " |"
    }
}
