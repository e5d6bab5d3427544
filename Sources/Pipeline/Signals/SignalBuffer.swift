import TidingsContracts

/// The changes that a ``SignalFeed`` has read and not handed over yet. A value without I/O.
struct SignalBuffer {
    private let limit: Int
    private var people: [InboxSignal.Person] = []
    private var hasGap = false

    /// - Parameter limit: the number of people that may wait.
    init(limit: Int) { self.limit = limit }

    /// Adds changes. Returns false if they do not fit. All changes that wait are then dropped, and a gap takes their place: the owner reads
    /// everything anyway.
    mutating func add(_ more: [InboxSignal.Person]) -> Bool {
        guard people.count + more.count <= limit else {
            gap()
            return false
        }
        people += more
        return true
    }

    /// Records that changes were missed. The changes that wait tell nothing more then.
    mutating func gap() {
        people = []
        hasGap = true
    }

    /// Removes and returns everything, the gap first. Empty if nothing waits.
    mutating func dequeueAll() -> [SignalFeed.Event] {
        defer { (people, hasGap) = ([], false) }
        return (hasGap ? [.gap] : []) + (people.isEmpty ? [] : [.changes(people)])
    }
}
