import NIOCore
import NIOHTTP1
import Synchronization
import TidingsServer
import TidingsWaiting

/// Requests over some connections. Each connection sends its next request when the last one is answered.
final class RequestLoad: Sendable {
    struct Outcome: Sendable {
        let seconds: Double
        /// Requests with the expected answer.
        let answered: Int
        /// Requests with another answer, or without one.
        let others: Int

        var perSecond: Double { Double(answered) / seconds }
    }

    private struct State {
        var sent = 0
        var answered = 0
        var others = 0
        var open: Int
    }

    private let connections: Int
    private let status: HTTPResponseStatus
    private let request: @Sendable (Int) -> BenchRequest?
    private let state: Mutex<State>
    /// True when all connections have ended, false when the time is over.
    private let end = OneShot<Bool>()

    /// - Parameters:
    ///   - status: the expected status.
    ///   - request: the request of each number from 0, made on an event loop. Nil ends the connection that asks.
    init(connections: Int, expecting status: HTTPResponseStatus, _ request: @escaping @Sendable (Int) -> BenchRequest?) {
        self.connections = connections
        self.status = status
        self.request = request
        state = Mutex(State(open: connections))
    }

    /// Returns when all connections have ended. Throws if they have not within the limit.
    func run(to server: LoopbackServer, within limit: Duration) async throws -> Outcome {
        let began = ContinuousClock.now
        for _ in 0..<connections {
            _ = try await server.connect { RequestHandler(self) }
        }
        let isComplete = await withTaskGroup(of: Void.self) { group in
            // Ends the wait below. Cancelled when the load has ended.
            group.addTask { await self.giveUp(after: limit) }
            let isComplete = await end.value()
            group.cancelAll()
            return isComplete
        }
        guard isComplete else { throw Failure(.timedOut, "the API did not answer everything within \(limit)") }
        let seconds = (ContinuousClock.now - began) / .seconds(1)
        return state.withLock { Outcome(seconds: seconds, answered: $0.answered, others: $0.others) }
    }

    private func giveUp(after limit: Duration) async {
        // Time itself is awaited.
        do { try await Task.sleep(for: limit) } catch { return }
        end.set(false)
    }

    fileprivate func next() -> BenchRequest? {
        let number = state.withLock { state in
            state.sent += 1
            return state.sent - 1
        }
        return request(number)
    }

    fileprivate func answered(_ status: HTTPResponseStatus) {
        state.withLock { state in
            if status == self.status { state.answered += 1 } else { state.others += 1 }
        }
    }

    /// - Parameter isWaiting: whether a request of the connection has no answer.
    fileprivate func ended(isWaiting: Bool) {
        let isLast = state.withLock { state in
            if isWaiting { state.others += 1 }
            state.open -= 1
            return state.open == 0
        }
        if isLast { end.set(true) }
    }
}

/// One connection of a load.
private final class RequestHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private let load: RequestLoad
    private var status = HTTPResponseStatus.ok
    private var isWaiting = false

    init(_ load: RequestLoad) { self.load = load }

    func channelActive(context: ChannelHandlerContext) {
        sendNext(context)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): status = head.status
        case .body: break
        case .end:
            isWaiting = false
            load.answered(status)
            sendNext(context)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        load.ended(isWaiting: isWaiting)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func sendNext(_ context: ChannelHandlerContext) {
        guard let request = load.next() else { return context.close(promise: nil) }
        isWaiting = true
        send(request, in: context)
    }
}
