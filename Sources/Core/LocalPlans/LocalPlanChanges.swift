/// A notification of a device, as its plan stands and as it is judged now.
public struct LocalPlanItem: Sendable {
    /// What a device was told and not told otherwise since.
    public struct Told: Sendable, Hashable {
        /// Nil: at once.
        public var at: Timestamp?
        /// Of the calendar in which it was told.
        public var zone: String
        /// The device said that it has it.
        public var isConfirmed: Bool

        public init(at: Timestamp?, zone: String, isConfirmed: Bool) {
            self.at = at
            self.zone = zone
            self.isConfirmed = isConfirmed
        }

        /// Confirmed before its time, which has come: the device has shown it.
        public func wasShown(by now: Timestamp) -> Bool {
            isConfirmed && (at ?? .distantPast) <= now
        }
    }

    public var id: NotificationID
    public var collapseKey: String?
    /// Nil: it is not in the device's plan.
    public var told: Told?
    public var verdict: LocalVerdict

    public init(id: NotificationID, collapseKey: String? = nil, told: Told? = nil, verdict: LocalVerdict) {
        self.id = id
        self.collapseKey = collapseKey
        self.told = told
        self.verdict = verdict
    }
}

/// What a device is to be told of one of its notifications.
public enum LocalPlanChange: Sendable, Hashable {
    /// Nothing new.
    case none
    /// To show it at this time (nil: at once), in place of what it was told before.
    case tell(at: Timestamp?)
    /// Not to show it. With an end it is over; without, it may come again.
    case takeBack(DeliveryState?, ReasonCode?)
}

/// What changes in a device's plan, for each item. Of items with one collapse key the newest counts; the ``LocalPlan/limit`` soonest are in the
/// plan, and the rest comes when there is room.
///
/// What the device was told and never confirmed before its time came is told again, to be shown at once: rather twice than never.
public func localPlanChanges(_ items: [LocalPlanItem], zone: String, now: Timestamp) -> [LocalPlanChange] {
    var newest: [String: NotificationID] = [:]
    for item in items {
        guard let key = item.collapseKey else { continue }
        if case .end = item.verdict { continue }
        newest[key] = max(newest[key] ?? item.id, item.id)
    }
    var times: [Int: Timestamp] = [:]
    var changes: [LocalPlanChange] = items.enumerated().map { position, item in
        if item.told?.wasShown(by: now) == true { return .none }
        if let key = item.collapseKey, let other = newest[key], other > item.id { return .takeBack(.suppressed, .collapsed) }
        switch item.verdict {
        case .showNow: times[position] = .distantPast
        case .show(let time): times[position] = time
        case .hide: return item.told == nil ? .none : .takeBack(nil, nil)
        case .end(let state, let reason): return .takeBack(state, reason)
        }
        return .none
    }
    let soonest = times.sorted { ($0.value, items[$0.key].id) < ($1.value, items[$1.key].id) }
    for (rank, (position, time)) in soonest.enumerated() {
        let told = items[position].told
        let at = time == .distantPast ? nil : time
        if rank >= LocalPlan.limit {
            changes[position] = told == nil ? .none : .takeBack(nil, nil)
        } else if told == nil || told?.at != at || (at != nil && told?.zone != zone) {
            changes[position] = .tell(at: at)
        }
    }
    return changes
}

public enum LocalPlan {
    /// Notifications that a device may have planned: more than 64 iOS drops without a word.
    public static let limit = 64
}
