import TidingsCore
import TidingsJSON
import TidingsPostgres

/// An erasure under the lock of its row, and the outcome of a step.
struct RunningErasure {
    let id: NotificationID
    let person: RecipientKey
    let step: ErasureStep
    /// The place up to which the step is done. Empty at its beginning.
    let position: String
    /// Deliveries that this pass of the step left in the hands of workers.
    let leftBehind: Int
    /// The number of erased rows so far, by place.
    private(set) var counts: [String: Int]

    /// Takes the running erasure that was not looked at for the longest time. Another releaser skips it. A step that this version does not
    /// know belongs to a newer one.
    static let pick: SQL = """
        select id, tenant, recipient_id, step, position, left_behind, counts::text as counts from tidings.erasures
        where state = 'running' and due_at <= (select tidings.clock()) and step = any(\(ErasureStep.allCases.map(\.rawValue)))
        order by due_at limit 1 for update skip locked
        """

    init(_ row: PostgresRow) throws {
        let word: String = try row.decode("step")
        guard let step = ErasureStep(rawValue: word) else { throw PostgresError.decoding("step \(word) is not known to this version") }
        self.step = step
        id = try row.decode("id")
        position = try row.decode("position")
        person = RecipientKey(tenant: try row.decode("tenant"), id: try row.decode("recipient_id"))
        leftBehind = try row.decode("left_behind")
        var known: [String: Int] = [:]
        for entry in (try? JSON.parse(try row.decode("counts", as: String.self)))?.objectValue?.entries ?? [] {
            known[entry.key] = entry.value.intValue
        }
        self.counts = known
    }

    /// The outcome of one transaction of a step.
    struct Outcome {
        enum Then {
            /// The step has more to do.
            case again(position: String, leftBehind: Int)
            /// The step begins again after a pause, because a transaction or a call is not over. The word is that of `waits_for`.
            case wait(String)
            case next
        }

        /// By place.
        var counts: [String: Int] = [:]
        var then: Then
    }

    /// The statements that write the outcome of a step. After the last step, nothing in the row says who the person was.
    mutating func statements(after outcome: Outcome) -> [SQL] {
        for (place, count) in outcome.counts where count > 0 { counts[place, default: 0] += count }
        switch outcome.then {
        case .again(let position, let leftBehind): return [update(step, position: position, leftBehind: leftBehind)]
        case .wait(let reason): return [update(step, waitsFor: reason, pause: Store.erasurePause)]
        case .next:
            if let next = step.next { return [update(next)] }
            return [
                "delete from tidings.erasure_mentions where erasure = \(id.uuid)",
                """
                update tidings.erasures set state = 'done', step = 'done', recipient_id = null, finished_at = tidings.clock(),
                    position = '', left_behind = 0, waits_for = null, counts = \(countsText)::jsonb
                where id = \(id.uuid)
                """,
            ]
        }
    }

    var isLastStep: Bool { step.next == nil }

    private func update(
        _ step: ErasureStep, position: String = "", leftBehind: Int = 0, waitsFor: String? = nil, pause: Duration = .zero
    ) -> SQL {
        """
        update tidings.erasures set step = \(step.rawValue), position = \(position), left_behind = \(Int32(clamping: leftBehind)),
            waits_for = \(waitsFor), counts = \(countsText)::jsonb,
            due_at = (select tidings.clock()) + make_interval(secs => \(pause / .seconds(1)))
        where id = \(id.uuid)
        """
    }

    private var countsText: String {
        var object = JSONObject()
        for (place, count) in counts.sorted(by: { $0.key < $1.key }) { object[place] = JSON(integerLiteral: Int64(count)) }
        return JSON.object(object).serialized
    }
}
