import Foundation

/// The event stream: when it opens, waits and ends. Pure.
struct StreamState: Sendable {
    var connection: InboxState.Connection = .stopped
    var isWanted = false
    var isOnline = true
    /// The number of the present connection or wait. Results of older ones are dropped.
    var number = 0
    /// The id of the last event. Only the server knows its meaning.
    var lastEventID: String?
    /// Milliseconds that the server named, for the next wait only.
    var retry: Int?

    var isOpen: Bool { connection == .open }

    var isWaiting: Bool { if case .waiting = connection { true } else { false } }

    mutating func connect(_ number: Int, lastEventID: String?) -> InboxEffect {
        self.number = number
        connection = .connecting
        return .openStream(number, lastEventID: lastEventID)
    }

    mutating func opened(_ number: Int) {
        if number == self.number { connection = .open }
    }

    /// - Parameter end: Nil when the server ended the stream, or when it fell silent.
    mutating func ended(_ number: Int, _ end: InboxError?, random: Double, newNumber: Int) -> [InboxEffect] {
        guard number == self.number, isWanted else { return [] }
        if end == .unauthorized || end == .forbidden {
            connection = .refused
            return []
        }
        let seconds = ReconnectDelay.seconds(retry: retry, retryAfter: end?.retryAfter, random: random)
        retry = nil
        self.number = newNumber
        connection = .waiting(seconds)
        return [.wait(newNumber, seconds: seconds)]
    }

    mutating func stop(newNumber: Int) -> [InboxEffect] {
        isWanted = false
        number = newNumber
        connection = .stopped
        return [.closeStream]
    }

    mutating func lostNetwork(newNumber: Int) -> [InboxEffect] {
        isOnline = false
        guard isWanted, connection != .refused else { return [] }
        number = newNumber
        connection = .waiting(nil)
        return [.closeStream]
    }

    mutating func suspend(newNumber: Int) {
        number = newNumber
        if isWanted, connection != .refused { connection = .waiting(nil) }
    }
}
