import Glibc
import TidingsHTTP
import TidingsSocket

/// The connections of one transport, and the requests that wait for a stream. Everything here runs on the transport's thread.
///
/// A turn runs when a socket is ready, a deadline passes or a message arrives. Requests made since the last turn are sent together. A turn
/// reads before it judges time-outs, so that after a pause of the process an answer that lies in a socket counts.
final class HTTP2Loop {
    /// Messages from other threads.
    enum Message: Sendable {
        case cancelled(UInt64)
        case resolved(connection: UInt64, Result<[SocketAddress], HTTPFailure>)
    }

    private let configuration: HTTP2Configuration
    private let origin: HTTP2Origin
    private let context: TLSContext
    private let thread: SocketThread
    private let mailbox: SocketMailbox<Message>
    private var connections: [ClientConnection] = []
    private var lastConnection: UInt64 = 0
    private var pause = OpeningPause()
    /// Waiting requests in the order of arrival. Requests to send again come first.
    private var waiting: [HTTP2Exchange] = []

    init(
        configuration: HTTP2Configuration, origin: HTTP2Origin, context: TLSContext, thread: SocketThread, mailbox: SocketMailbox<Message>
    ) {
        self.configuration = configuration
        self.origin = origin
        self.context = context
        self.thread = thread
        self.mailbox = mailbox
    }

    /// Queues a request. It begins in the next turn, which runs at once.
    func start(_ exchange: HTTP2Exchange) {
        waiting.append(exchange)
        watch(until: .now)
    }

    func retireConnections() {
        connections.forEach { $0.retire() }
        watch(until: .now)
    }

    /// The longest time for which a request outlives its time-out while its connection has more to read. Without it, a server that sends
    /// without an end would keep the request.
    private static let unreadGrace = Duration.seconds(1)

    /// Runs one turn.
    ///
    /// - Parameter polledAt: the instant at which the poll for `ready` began. Time-outs are judged by it.
    func drive(_ ready: [pollfd], polledAt: ContinuousClock.Instant) {
        let ready = Set(ready.map(\.fd))
        for connection in connections where connection.hasMoreToRead || connection.interest.map({ ready.contains($0.socket) }) ?? false {
            connection.progress()
        }
        // Collect before cancellations: a response that has arrived counts, and a returned request is found in the waiting list.
        collect()
        if ready.contains(mailbox.reader) { mailbox.dequeueAll().forEach(receive) }
        expire(at: polledAt)
        // Repeat, because a connection that fails in the last step returns requests, which then begin on another connection. Flush retired
        // connections first: a closed one then counts as a reason for a pause before its replacement opens.
        repeat {
            for connection in connections where connection.isRetired { connection.flush() }
            collect()
            assign()
            connections.forEach { $0.flush() }
        } while connections.contains { $0.hasNews }
        watch(until: connections.contains(where: \.hasMoreToRead) ? .now : nil)
    }

    /// Ends every request and closes the connections. The loop must not be used afterwards.
    func close() {
        let reason = HTTPFailure(kind: .cancelled, requestMayHaveArrived: false, message: "the transport was closed")
        connections.forEach { $0.close(reason) }
        collect()
        for exchange in waiting { exchange.fail(reason.kind, reason.message) }
        waiting = []
        thread.watch([], until: nil)
    }

    private func receive(_ message: Message) {
        switch message {
        case .resolved(let id, let result): connections.first { $0.id == id }?.resolved(result)
        case .cancelled(let id):
            let words = "the task was cancelled"
            if let index = waiting.firstIndex(where: { $0.id == id }) {
                waiting.remove(at: index).fail(.cancelled, words)
            } else {
                _ = connections.first { $0.end(id, .cancelled, words) }
            }
        }
    }

    private func expire(at now: ContinuousClock.Instant) {
        let problem = connections.isEmpty ? pause.problem(at: now) : nil
        for exchange in waiting where exchange.deadline <= now {
            if let problem {
                exchange.fail(.connect, "no new connection so soon after this: \(problem)")
            } else {
                let hasStreams = connections.contains { !$0.awaitsStreams }
                exchange.fail(hasStreams ? .noRoom : .timeoutBeforeSend, "no stream was free in time")
            }
        }
        waiting.removeAll { $0.deadline <= now }
        // A connection reads a part of its input in each turn, and the answer may lie in the rest.
        connections.forEach { $0.expire(at: $0.hasMoreToRead ? now - Self.unreadGrace : now) }
    }

    /// Collects ended and returned requests from the connections, and removes closed connections.
    private func collect() {
        var back: [HTTP2Exchange] = []
        for connection in connections {
            for (exchange, result) in connection.dequeueSettled() { exchange.finish(result) }
            back += connection.dequeueReturned()
        }
        waiting.insert(contentsOf: back, at: 0)
        let closed = connections.filter(\.isClosed)
        connections.removeAll(where: \.isClosed)
        for connection in closed {
            if connection.hasAnswered {
                pause.reset()
            } else if connection.hasFailed {
                pause.begin(after: connection.failure?.message ?? "a connection closed before it answered anything", at: .now)
            }
        }
        // Fail the waiting requests only if no usable connection is open or opening.
        guard let failure = closed.lazy.compactMap(\.failure).first, connections.allSatisfy(\.isRetired) else { return }
        let ended = waiting
        waiting = []
        for exchange in ended { exchange.fail(failure.kind, failure.message) }
    }

    /// Assigns waiting requests to the connections with the most room. Opens one more connection if the waiting requests exceed the room of
    /// the opening ones and no pause is active.
    private func assign() {
        var next = 0
        while next < waiting.count, let roomiest = connections.filter(\.canBegin).max(by: { $0.room < $1.room }) {
            // Assign at most 8 at a time, so that the requests spread over the connections.
            for _ in 0..<min(8, roomiest.room) where next < waiting.count {
                roomiest.begin(waiting[next])
                next += 1
            }
        }
        waiting.removeFirst(next)
        let expected = connections.lazy.filter(\.awaitsStreams).map(\.room).reduce(0, +)
        let live = connections.lazy.filter { !$0.isRetired }.count
        if waiting.count > expected, live < configuration.maximumConnections, pause.end(at: .now) == nil { open() }
    }

    private func open() {
        lastConnection += 1
        let (id, mailbox) = (lastConnection, mailbox)
        connections.append(ClientConnection(id: id, origin: origin, configuration: configuration, context: context))
        Resolver.resolve(host: origin.host, port: origin.port) { mailbox.post(.resolved(connection: id, $0)) }
    }

    private func watch(until now: ContinuousClock.Instant?) {
        let ofWaiting = waiting.isEmpty ? [] : [waiting.lazy.map(\.deadline).min(), pause.end(at: .now)]
        let deadlines = connections.map(\.deadline) + ofWaiting + [now]
        thread.watch(connections.compactMap(\.interest) + [.reading(mailbox.reader)], until: deadlines.compactMap(\.self).min())
    }
}
