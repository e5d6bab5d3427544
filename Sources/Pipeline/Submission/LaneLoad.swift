import TidingsCore

/// The work that an event makes for a router, in the intake queue of a lane.
struct LaneLoad: Sendable, Hashable {
    /// The owner of an allowance.
    struct Account: Sendable, Hashable {
        let tenant: String
        let lane: Lane
    }

    let account: Account
    let notifications: Int
    /// The notifications, each counted once for every ``LaneAllowance/contentBytes`` of the content: each gets a row with all of it.
    let weight: Int

    /// - Parameter contentBytes: the bytes of the event without the list of its recipients.
    init(_ notifications: Int, contentBytes: Int, of tenant: String, in lane: Lane) {
        account = Account(tenant: tenant, lane: lane)
        self.notifications = notifications
        let parts = (contentBytes + LaneAllowance.contentBytes - 1) / LaneAllowance.contentBytes
        weight = notifications * max(parts, 1)
    }

    /// Whether the event goes to the overflow queue for its size alone.
    ///
    /// An event for one person never does. A router makes one decision for it, and writes one row with at most 256 KiB of content. So a
    /// person does not wait for the backlog of another tenant because of a long text. The allowance pays the whole weight.
    var isLarge: Bool { notifications > 1 && weight > LaneAllowance.largestEvent }
}
