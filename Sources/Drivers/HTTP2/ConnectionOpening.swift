import Glibc
import TidingsHTTP
import TidingsSocket

/// The way to a connection: the host's addresses are tried one after the other until TLS stands with one of them.
///
/// Each address has an equal share of the time that is left, so that a dead one does not use it all up. What TLS refuses ends it all: the other
/// addresses are the same service.
///
/// It never waits and never calls back. Whoever drives it polls for ``interest`` until ``deadline``, and takes what each step returns.
final class ConnectionOpening {
    enum Step {
        /// Nothing to do until the socket is ready or the deadline passes.
        case mustWait
        case done(TLSStream)
        case failed(HTTPFailure)
    }

    private enum Phase {
        case resolving
        /// Of one address, with those that are left.
        case connecting(socket: Int32, rest: ArraySlice<SocketAddress>)
        case handshaking(TLSStream, rest: ArraySlice<SocketAddress>)
        case over
    }

    private let origin: HTTP2Origin
    private let context: TLSContext
    private let lastDeadline: ContinuousClock.Instant
    private var phase = Phase.resolving
    /// When the address that is being tried has had its share; call ``expire(at:)`` then.
    private(set) var deadline: ContinuousClock.Instant

    init(to origin: HTTP2Origin, context: TLSContext, until deadline: ContinuousClock.Instant) {
        self.origin = origin
        self.context = context
        self.deadline = deadline
        lastDeadline = deadline
    }

    deinit { leaveAddress() }

    var interest: SocketThread.Interest? {
        switch phase {
        case .resolving, .over: nil
        case .connecting(let socket, _): SocketThread.Interest(socket: socket, events: Int16(POLLOUT))
        case .handshaking(let stream, _):
            SocketThread.Interest(socket: stream.socket, events: Int16(stream.wantsToWrite ? POLLOUT : POLLIN))
        }
    }

    func resolved(_ result: Result<[SocketAddress], HTTPFailure>) -> Step {
        guard case .resolving = phase else { return .mustWait }
        switch result {
        case .success(let addresses): return tryNext(of: addresses[...], after: "the host has no address")
        case .failure(let failure): return end(.failed(failure))
        }
    }

    /// The socket is ready for what ``interest`` said.
    func progress() -> Step {
        switch phase {
        case .resolving, .over: .mustWait
        case .connecting(let socket, let rest): connected(socket, rest)
        case .handshaking(let stream, let rest): shakeHands(stream, rest)
        }
    }

    /// Gives the address up whose share is over.
    func expire(at now: ContinuousClock.Instant) -> Step {
        guard deadline <= now else { return .mustWait }
        let words = "no connection in time"
        switch phase {
        case .over: return .mustWait
        case .resolving: return fail(.connect, words)
        case .connecting(_, let rest), .handshaking(_, let rest): return tryNext(of: rest, after: words)
        }
    }

    // MARK: Steps

    private func tryNext(of addresses: ArraySlice<SocketAddress>, after problem: String) -> Step {
        leaveAddress()
        var (rest, problem) = (addresses, problem)
        while let address = rest.popFirst() {
            guard let socket = address.connectingSocket() else {
                problem = unsafe String(cString: strerror(errno))
                continue
            }
            let now = ContinuousClock.now
            deadline = now + max(.zero, now.duration(to: lastDeadline)) / (rest.count + 1)
            phase = .connecting(socket: socket, rest: rest)
            return .mustWait
        }
        return fail(.connect, problem)
    }

    private func connected(_ socket: Int32, _ rest: ArraySlice<SocketAddress>) -> Step {
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        unsafe getsockopt(socket, SOL_SOCKET, SO_ERROR, &code, &length)
        guard code == 0 else { return unsafe tryNext(of: rest, after: String(cString: strerror(code))) }
        guard let stream = TLSStream(context, socket: socket, serverName: origin.host) else { return fail(.tls, TLSError.take()) }
        phase = .handshaking(stream, rest: rest)
        return shakeHands(stream, rest)
    }

    private func shakeHands(_ stream: TLSStream, _ rest: ArraySlice<SocketAddress>) -> Step {
        switch stream.handshake() {
        case .mustWait: .mustWait
        case .ended(let words): fail(.tls, words.isEmpty ? "the connection closed while TLS began" : words)
        case .done: end(.done(stream))
        }
    }

    // MARK: The end

    private func fail(_ kind: HTTPFailure.Kind, _ words: String) -> Step {
        end(.failed(HTTPFailure(kind: kind, requestMayHaveArrived: false, message: "\(origin.authority): \(words)")))
    }

    private func end(_ step: Step) -> Step {
        leaveAddress()
        return step
    }

    /// A socket without TLS is still ours to close.
    private func leaveAddress() {
        if case .connecting(let socket, _) = phase { close(socket) }
        phase = .over
    }
}
