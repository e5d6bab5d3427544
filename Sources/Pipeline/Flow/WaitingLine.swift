import DequeModule

/// The waiters for room at each host: a queue for each host, in the order of arrival.
///
/// The next waiter is found with one look for each host that has waiters, without a look at each waiter.
struct WaitingLine<Waiter> {

    private var waiters: [UInt64: Waiter] = [:]
    /// The tickets of each host's queue, oldest first. A ticket whose caller gave up stays until it comes to the front. Each call that ends
    /// makes room and brings the front up, so no more of them stay than callers give up during the longest call to a host without room.
    private var lines: [String: Deque<UInt64>] = [:]
    private var lastTicket: UInt64 = 0

    mutating func join(_ host: String, _ waiter: Waiter) -> UInt64 {
        lastTicket += 1
        waiters[lastTicket] = waiter
        lines[host, default: []].append(lastTicket)
        return lastTicket
    }

    /// Nil for a ticket that has already left the queue.
    mutating func giveUp(_ ticket: UInt64) -> Waiter? { waiters.removeValue(forKey: ticket) }

    /// Takes the waiter out of its queue that has waited longest, among the waiters whose host has room.
    mutating func next(where hasRoom: (String) -> Bool) -> (host: String, waiter: Waiter)? {
        if waiters.isEmpty {
            lines.removeAll(keepingCapacity: true)
            return nil
        }
        var oldest: (host: String, ticket: UInt64)?
        for host in Array(lines.keys) where hasRoom(host) {
            guard let ticket = firstWaiting(at: host) else { continue }
            if ticket < oldest?.ticket ?? .max { oldest = (host, ticket) }
        }
        guard let oldest, let waiter = waiters.removeValue(forKey: oldest.ticket) else { return nil }
        lines[oldest.host]?.removeFirst()
        return (oldest.host, waiter)
    }

    private mutating func firstWaiting(at host: String) -> UInt64? {
        while let ticket = lines[host]?.first {
            if waiters[ticket] != nil { return ticket }
            lines[host]?.removeFirst()
        }
        lines[host] = nil
        return nil
    }
}
