internal import DequeModule

/// The messages that an ``AMQPAnnouncer`` has taken and not written yet. A value without I/O. Two limits bound it.
struct AnnouncementBuffer {
    /// The answer to an offer.
    enum Offer: Equatable {
        case dropped
        /// The message is in the buffer. `wakes` is true if the announcer must be woken: no earlier offer has done so since its last turn.
        case taken(wakes: Bool)
    }

    private let maximumMessages: Int
    private let maximumBytes: Int
    private var messages = Deque<(message: OutgoingMessage, bytes: Int)>()
    private var bytes = 0
    private var isWaking = false
    /// Whether offers are taken at all. False while the link is down or blocked.
    var isOpen = true

    init(maximumMessages: Int, maximumBytes: Int) {
        self.maximumMessages = maximumMessages
        self.maximumBytes = maximumBytes
    }

    var isEmpty: Bool { messages.isEmpty }
    var first: (message: OutgoingMessage, bytes: Int)? { messages.first }

    mutating func offer(_ message: OutgoingMessage) -> Offer {
        let size = message.encodedSize
        guard isOpen, messages.count < maximumMessages, bytes + size <= maximumBytes else { return .dropped }
        messages.append((message, size))
        bytes += size
        defer { isWaking = true }
        return .taken(wakes: !isWaking)
    }

    /// Records that the announcer is awake: the next offer wakes it again.
    mutating func woke() { isWaking = false }

    mutating func removeFirst() {
        bytes -= messages.popFirst()?.bytes ?? 0
        // Give the memory of a burst back: removing elements alone keeps it.
        if messages.isEmpty { messages.removeAll() }
    }

    /// Drops all messages. Returns their number.
    mutating func removeAll() -> Int {
        defer {
            messages.removeAll()
            bytes = 0
        }
        return messages.count
    }
}
