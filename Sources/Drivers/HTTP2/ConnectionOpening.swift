import Glibc
import TidingsHTTP
import TidingsSocket

/// The opening of a connection. Tries the host's addresses one after the other, until one of them completes the TLS handshake.
///
/// Each address gets an equal share of the remaining time, so that a dead address does not use all of it. A failed TLS handshake ends the
/// opening, because the remaining addresses belong to the same service.
///
/// The opening never blocks and never calls its owner. The owner polls for ``interest`` until ``deadline``, and handles the step that each
/// call returns.
final class ConnectionOpening {
    enum Step {
        /// Nothing to do before the socket is ready or the deadline passes.
        case mustWait
        case done(TLSStream)
        case failed(HTTPFailure)
    }

    private enum Phase {
        case resolving
        /// Connecting to one address; `rest` holds the addresses not tried yet.
        case connecting(socket: Int32, rest: ArraySlice<SocketAddress>)
        case handshaking(TLSStream, rest: ArraySlice<SocketAddress>)
        case over
    }

    private let origin: HTTP2Origin
    private let context: TLSContext
    private let lastDeadline: ContinuousClock.Instant
    private var phase = Phase.resolving
    /// The end of the current address's share of the time, when the owner must call ``expire(at:)``.
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

    /// Continues after the socket became ready for ``interest``.
    func progress() -> Step {
        switch phase {
        case .resolving, .over: .mustWait
        case .connecting(let socket, let rest): connected(socket, rest)
        case .handshaking(let stream, let rest): shakeHands(stream, rest)
        }
    }

    /// If the share of the current address is over, tries the next address.
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
        guard let stream = TLSStream(context, socket: socket, serverName: origin.host) else { return fail(.tls, TLSError.dequeue()) }
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

    /// Closes a socket that no TLS stream owns yet, and ends the phase.
    private func leaveAddress() {
        if case .connecting(let socket, _) = phase { close(socket) }
        phase = .over
    }
}
