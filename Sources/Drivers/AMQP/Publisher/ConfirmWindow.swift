/// The messages sent and not yet answered, by delivery tag. A value without I/O.
///
/// Tags count from 1 in the order of sending, so the lowest tag is the oldest message. A return comes before the confirm of its message and
/// has no tag. It belongs to the oldest message in flight with the same message id.
struct ConfirmWindow<Entry> {
    struct Flight {
        var entry: Entry
        var messageID: String
        var bytes: Int
        var sentAt: ContinuousClock.Instant
        var returned: (code: Int, text: String)?
    }

    private var flights: [UInt64: Flight] = [:]
    private var tagsByMessageID: [String: [UInt64]] = [:]
    private var lowest: UInt64 = 1
    private var next: UInt64 = 1
    private(set) var bytes = 0

    var count: Int { flights.count }
    var isEmpty: Bool { flights.isEmpty }
    /// The time at which the oldest message was sent.
    var oldest: ContinuousClock.Instant? { flights[lowest]?.sentAt }

    mutating func sent(_ entry: Entry, messageID: String, bytes: Int, at now: ContinuousClock.Instant) {
        flights[next] = Flight(entry: entry, messageID: messageID, bytes: bytes, sentAt: now, returned: nil)
        tagsByMessageID[messageID, default: []].append(next)
        self.bytes += bytes
        next += 1
    }

    mutating func returned(messageID: String?, code: Int, text: String) {
        guard let messageID, let tags = tagsByMessageID[messageID] else { return }
        guard let tag = tags.first(where: { flights[$0]?.returned == nil }) else { return }
        flights[tag]?.returned = (code, text)
    }

    /// Removes and returns the messages that the broker answered: `tag`, or with `multiple` all tags up to it. Unknown tags are ignored.
    mutating func answered(_ tag: UInt64, multiple: Bool) -> [Flight] {
        guard tag < next else { return [] }
        var answered: [Flight] = []
        if multiple {
            while lowest <= tag {
                if let flight = remove(lowest) { answered.append(flight) }
                lowest += 1
            }
        } else if let flight = remove(tag) {
            answered.append(flight)
        }
        while lowest < next && flights[lowest] == nil { lowest += 1 }
        return answered
    }

    /// Empties the window for a new connection, whose tags begin at 1 again. Returns the messages in flight, oldest first.
    mutating func dequeueAll() -> [Flight] {
        let all = flights.sorted { $0.key < $1.key }.map(\.value)
        self = ConfirmWindow()
        return all
    }

    private mutating func remove(_ tag: UInt64) -> Flight? {
        guard let flight = flights.removeValue(forKey: tag) else { return nil }
        bytes -= flight.bytes
        if let tags = tagsByMessageID[flight.messageID], tags.count > 1 {
            tagsByMessageID[flight.messageID] = tags.filter { $0 != tag }
        } else {
            tagsByMessageID[flight.messageID] = nil
        }
        return flight
    }
}
