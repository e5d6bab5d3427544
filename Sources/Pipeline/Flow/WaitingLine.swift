/// Who waits for room at each host, first come first served.
///
/// The next is found without looking at everybody: one look for each host at which somebody waits.
struct WaitingLine<Waiter> {
    /// The tickets of one host's line, oldest first. Those that gave up are left out when they come to the front, so as many of them stay as gave up
    /// during the longest call to a host without room: each call that ends makes room, and brings the front up.
    private struct Tickets {
        private var tickets: [UInt64] = []
        private var front = 0

        var first: UInt64? { front < tickets.count ? tickets[front] : nil }

        mutating func append(_ ticket: UInt64) { tickets.append(ticket) }

        mutating func removeFirst() {
            front += 1
            // Half of it is gone: moving the rest costs no more than adding it did.
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

    /// Nil for one who has left the line already.
    mutating func giveUp(_ ticket: UInt64) -> Waiter? { waiters.removeValue(forKey: ticket) }

    /// Takes the one out of the line who has waited longest of those whose host has room.
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
