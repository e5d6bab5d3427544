/// The waiters for room at each host, in the order of arrival.
///
/// The next waiter is found with one look for each host that has waiters, without a look at each waiter.
struct WaitingLine<Waiter> {
    /// The tickets of one host's line, oldest first. A cancelled ticket stays until it reaches the front. Each call that ends makes room
    /// and moves the front on. So the number of cancelled tickets is bounded by those cancelled during the longest call to a host without
    /// room.
    private struct Tickets {
        private var tickets: [UInt64] = []
        private var front = 0

        var first: UInt64? { front < tickets.count ? tickets[front] : nil }

        mutating func append(_ ticket: UInt64) { tickets.append(ticket) }

        mutating func removeFirst() {
            front += 1
            // The first half is gone. Moving the rest costs no more than adding it did.
            guard front * 2 >= tickets.count else { return }
            tickets.removeFirst(front)
            front = 0
        }
    }

    private var waiters: [UInt64: Waiter] = [:]
    private var lines: [String: Tickets] = [:]
    private var lastTicket: UInt64 = 0

    mutating func join(_ host: String, _ waiter: Waiter) -> UInt64 {
        lastTicket += 1
        waiters[lastTicket] = waiter
        lines[host, default: Tickets()].append(lastTicket)
        return lastTicket
    }

    /// Nil for a ticket that has already left the line.
    mutating func giveUp(_ ticket: UInt64) -> Waiter? { waiters.removeValue(forKey: ticket) }

    /// Takes the waiter out of the line that has waited longest, among those whose host has room.
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
