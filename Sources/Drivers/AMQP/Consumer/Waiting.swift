import DequeModule

/// The tasks that wait for a batch, served in the order of arrival.
struct BatchReaders {
    private var waiting = Deque<(id: Int, continuation: CheckedContinuation<MessageBatch?, Never>)>()
    private var lastID = 0

    var isEmpty: Bool { waiting.isEmpty }

    mutating func newID() -> Int {
        lastID += 1
        return lastID
    }

    mutating func add(_ id: Int, _ continuation: CheckedContinuation<MessageBatch?, Never>) { waiting.append((id, continuation)) }

    mutating func give(_ batch: MessageBatch) { waiting.popFirst()?.continuation.resume(returning: batch) }

    mutating func cancel(_ id: Int) {
        guard let place = waiting.firstIndex(where: { $0.id == id }) else { return }
        waiting.remove(at: place).continuation.resume(returning: nil)
    }

    mutating func finish() {
        for reader in waiting { reader.continuation.resume(returning: nil) }
        waiting.removeAll()
    }
}

/// The lost queues that the owner must still learn of, and the end of this list.
struct ChoreList {
    private var queues = Deque<String>()
    private var isFinished = false
    private var error: AMQPError?
    private var waiter: CheckedContinuation<String?, any Error>?

    mutating func add(_ queue: String) {
        queues.append(queue)
        serve()
    }

    /// Ends the list. The waiter gets nil, or `error`.
    mutating func finish(_ error: AMQPError?) {
        guard !isFinished else { return }
        isFinished = true
        self.error = error
        serve()
    }

    mutating func wait(_ continuation: CheckedContinuation<String?, any Error>) {
        waiter = continuation
        serve()
    }

    private mutating func serve() {
        guard let waiter else { return }
        if isFinished {
            if let error { waiter.resume(throwing: error) } else { waiter.resume(returning: nil) }
        } else if let queue = queues.popFirst() {
            waiter.resume(returning: queue)
        } else {
            return
        }
        self.waiter = nil
    }
}
