import DequeModule
import TidingsCore

/// The waiters for room at each host: a queue for each host, in the order of arrival.
///
/// A waiter whose endpoint is full moves to a queue of that endpoint, so that it holds up no waiter for another endpoint. The next waiter
/// is found with one look for each queue, without a look at each waiter.
struct WaitingLine<Waiter> {
    private struct Place {
        let call: GateCall
        let waiter: Waiter
    }

    /// The name of a queue. The endpoint is nil for the queue of the host.
    private struct Name: Hashable {
        let host: String
        let endpoint: Breaker.Part?
    }

    private var waiters: [UInt64: Place] = [:]
    /// The tickets of each queue, oldest first. A ticket whose caller gave up stays until it comes to the front. Each call that ends makes
    /// room and brings the front up, so no more of them stay than callers give up during the longest call to a host without room.
    private var lines: [Name: Deque<UInt64>] = [:]
    private var lastTicket: UInt64 = 0

    mutating func join(_ call: GateCall, _ waiter: Waiter) -> UInt64 {
        lastTicket += 1
        waiters[lastTicket] = Place(call: call, waiter: waiter)
        lines[Name(host: call.host, endpoint: nil), default: []].append(lastTicket)
        return lastTicket
    }

    /// Nil for a ticket that has already left the queue.
    mutating func giveUp(_ ticket: UInt64) -> Waiter? { waiters.removeValue(forKey: ticket)?.waiter }

    /// Takes the waiter out of its queue that has waited longest, among the waiters whose host and endpoint have room.
    mutating func next(where room: (GateCall) -> Receivers.Room) -> (call: GateCall, waiter: Waiter)? {
        if waiters.isEmpty {
            lines.removeAll(keepingCapacity: true)
            return nil
        }
        var oldest: (name: Name, ticket: UInt64)?
        for name in Array(lines.keys) {
            guard let ticket = firstWithRoom(in: name, room) else { continue }
            if ticket < oldest?.ticket ?? .max { oldest = (name, ticket) }
        }
        guard let oldest, let place = waiters.removeValue(forKey: oldest.ticket) else { return nil }
        lines[oldest.name]?.removeFirst()
        return (place.call, place.waiter)
    }

    /// The first ticket of a queue, if it has room. Nil otherwise.
    private mutating func firstWithRoom(in name: Name, _ room: (GateCall) -> Receivers.Room) -> UInt64? {
        while let ticket = lines[name]?.first {
            guard let place = waiters[ticket] else {
                lines[name]?.removeFirst()
                continue
            }
            switch room(place.call) {
            case .free: return ticket
            case .hostFull: return nil
            case .endpointFull:
                guard name.endpoint == nil, let endpoint = place.call.parts.endpoint else { return nil }
                lines[name]?.removeFirst()
                lines[Name(host: name.host, endpoint: endpoint), default: []].append(ticket)
            }
        }
        lines[name] = nil
        return nil
    }
}
