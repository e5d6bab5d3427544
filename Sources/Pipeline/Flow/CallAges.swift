import TidingsCore

/// The calls under way to each host, by the second in which they asked for room. It tells how many of them hang.
struct CallAges {
    private struct Second {
        let number: Int64
        var calls: Int
    }

    /// No more seconds for a host than its longest call takes. A host without a call under way has none.
    private var hosts: [String: [Second]] = [:]

    mutating func add(_ call: GateCall) {
        let number = call.askedAt.wholeSeconds
        let place = hosts[call.host]?.firstIndex { $0.number == number }
        if let place {
            hosts[call.host]?[place].calls += 1
        } else {
            hosts[call.host, default: []].append(Second(number: number, calls: 1))
        }
    }

    mutating func remove(_ call: GateCall) {
        let number = call.askedAt.wholeSeconds
        guard let place = hosts[call.host]?.firstIndex(where: { $0.number == number }) else { return }
        hosts[call.host]?[place].calls -= 1
        if hosts[call.host]?[place].calls == 0 { hosts[call.host]?.remove(at: place) }
        if hosts[call.host]?.isEmpty == true { hosts[call.host] = nil }
    }

    /// The number of calls that hang: those that are older than ``SendRoom/hangingAfter``, by up to a second.
    func hanging(at host: String, _ now: Timestamp) -> Int {
        guard let seconds = hosts[host] else { return 0 }
        let limit = now.adding(.zero - SendRoom.hangingAfter).wholeSeconds
        return seconds.reduce(0) { $0 + ($1.number < limit ? $1.calls : 0) }
    }
}
