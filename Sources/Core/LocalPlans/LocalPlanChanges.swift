/// A notification of a device: its entry in the device's plan, and the present verdict.
public struct LocalPlanItem: Sendable {
    /// The last instruction to a device about a notification.
    public struct Told: Sendable, Hashable {
        /// The time at which the device shows the notification. Nil: at once.
        public var at: Timestamp?
        /// The time zone in which the time was given.
        public var zone: String
        /// Whether the device said that it has the notification.
        public var isConfirmed: Bool

        public init(at: Timestamp?, zone: String, isConfirmed: Bool) {
            self.at = at
            self.zone = zone
            self.isConfirmed = isConfirmed
        }

        /// Whether the device has shown the notification: the device confirmed it, and its time has come.
        public func wasShown(by now: Timestamp) -> Bool {
            isConfirmed && (at ?? .distantPast) <= now
        }
    }

    public var id: NotificationID
    public var collapseKey: String?
    /// The last instruction to the device. Nil: the notification is not in the device's plan.
    public var told: Told?
    public var verdict: LocalVerdict

    public init(id: NotificationID, collapseKey: String? = nil, told: Told? = nil, verdict: LocalVerdict) {
        self.id = id
        self.collapseKey = collapseKey
        self.told = told
        self.verdict = verdict
    }
}

/// The next instruction to a device about one of its notifications.
public enum LocalPlanChange: Sendable, Hashable {
    /// No new instruction.
    case none
    /// Show it at this time (nil: at once), in place of the instruction before.
    case tell(at: Timestamp?)
    /// Do not show it. With a state, the delivery ends. Without a state, the notification may enter the plan again.
    case takeBack(DeliveryState?, ReasonCode?)
}

/// Returns the change of a device's plan for each item.
///
/// If items have the same collapse key, only the newest counts. The ``LocalPlan/limit`` soonest items are in the plan. The rest enters when
/// there is room.
///
/// If a device never confirmed a notification before its time came, the device is told to show it at once. A duplicate is better than a
/// loss.
public func localPlanChanges(_ items: [LocalPlanItem], zone: String, now: Timestamp) -> [LocalPlanChange] {
    // By the bytes of the collapse key, as other ids: two texts that Swift calls equal may be two keys.
    var newest: [[UInt8]: NotificationID] = [:]
    for item in items {
        guard let key = item.collapseKey.map({ Array($0.utf8) }) else { continue }
        if case .end = item.verdict { continue }
        newest[key] = max(newest[key] ?? item.id, item.id)
    }
    var times: [Int: Timestamp] = [:]
    var changes: [LocalPlanChange] = items.enumerated().map { position, item in
        if item.told?.wasShown(by: now) == true { return .none }
        if let key = item.collapseKey, let other = newest[Array(key.utf8)], other > item.id { return .takeBack(.suppressed, .collapsed) }
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
    /// The number of notifications that a device may have planned. iOS silently drops more than 64.
    public static let limit = 64
}
