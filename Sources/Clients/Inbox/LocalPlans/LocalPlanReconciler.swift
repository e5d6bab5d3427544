public import Foundation

/// The plan of local notifications as an app stores it.
public struct StoredLocalPlan: Codable, Hashable, Sendable {
    /// The confirmed version, to ask from the next time. Nil before the first answer.
    public internal(set) var version: Int64?
    /// The planned requests, the soonest first.
    public internal(set) var planned: [PlannedRequest] = []

    public init() {}
}

/// A request with the time at which the device shows it.
public struct PlannedRequest: Codable, Hashable, Sendable {
    public let request: LocalRequest
    /// Fixed at the moment of planning, because an interval counts from there.
    public let showsAt: Date

    public init(request: LocalRequest, showsAt: Date) {
        self.request = request
        self.showsAt = showsAt
    }
}

/// Turns an answer of the server into calls of the device's notification centre. Pure.
///
/// 1. Ask with ``StoredLocalPlan/version``: ``InboxClient/localPlan(device:since:)``.
/// 2. Remove ``Steps/remove`` from the pending requests, then add ``Steps/add``.
/// 3. Store ``Steps/plan``, and confirm ``Steps/confirm``.
///
/// A crash between these steps does no harm: the next answer is judged by the stored plan, and a request replaces one with its identifier.
public struct LocalPlanReconciler: Sendable {
    /// The work for the device.
    public struct Steps: Hashable, Sendable {
        /// Identifiers to remove from the pending requests.
        public internal(set) var remove: [String] = []
        /// Requests to add, the soonest first. A request replaces a pending one with its identifier.
        public internal(set) var add: [LocalRequest] = []
        /// The plan afterwards.
        public internal(set) var plan: StoredLocalPlan
        /// The version to confirm. Nil if the answer is older than the plan.
        public internal(set) var confirm: Int64?
    }

    /// The most pending requests for the plan: the 64 that iOS keeps for one app, without the app's own.
    public let limit: Int
    public let timeZone: TimeZone

    /// - Parameters:
    ///   - others: The number of the app's own pending requests.
    ///   - timeZone: The zone of the device, in which calendar triggers are meant.
    public init(others: Int = 0, timeZone: TimeZone = .current) {
        limit = max(0, LocalPlan.limit - max(0, others))
        self.timeZone = timeZone
    }

    /// - Parameters:
    ///   - pending: Identifiers that the notification centre has as pending. Requests that are not among them were shown, or removed by the
    ///     person, and take no room. Nil if the app does not know.
    public func steps(for answer: LocalPlan, plan: StoredLocalPlan, pending: Set<String>? = nil, now: Date) -> Steps {
        var steps = Steps(plan: plan)
        // An answer that a newer one has overtaken would bring removed notifications back.
        if !answer.reset, let version = plan.version, answer.version < version { return steps }
        let present = plan.planned.filter { pending?.contains($0.request.identifier) ?? true }
        let removed = Set(answer.removed)
        var wanted: [String: PlannedRequest] = [:]
        if !answer.reset {
            for entry in present where !removed.contains(entry.request.identifier) { wanted[entry.request.identifier] = entry }
        }
        for request in answer.requests where !removed.contains(request.identifier) {
            wanted[request.identifier] = PlannedRequest(request: request, showsAt: showingTime(of: request.trigger, now: now))
        }
        let planned = wanted.values.sorted { ($0.showsAt, $0.request.identifier) < ($1.showsAt, $1.request.identifier) }.prefix(limit)
        let kept = Set(planned.map(\.request.identifier))
        let news = Set(answer.requests.map(\.identifier))
        let before = Set(present.map(\.request.identifier)).union(answer.reset ? pending ?? [] : [])
        steps.remove = before.subtracting(kept).sorted()
        steps.add = planned.map(\.request).filter { news.contains($0.identifier) }
        steps.plan.version = answer.version
        steps.plan.planned = Array(planned)
        steps.confirm = answer.version
        return steps
    }

    /// The time at which a trigger planned now fires. A calendar time that does not exist is as soon as it can be.
    private func showingTime(of trigger: LocalTrigger, now: Date) -> Date {
        switch trigger {
        case .timeInterval(let seconds, _):
            return now.addingTimeInterval(TimeInterval(seconds))
        case .calendar(let year, let month, let day, let hour, let minute, _):
            var calendar = Calendar(identifier: .gregorian)
            calendar.timeZone = timeZone
            return calendar.date(from: DateComponents(year: year, month: month, day: day, hour: hour, minute: minute)) ?? now
        }
    }
}
