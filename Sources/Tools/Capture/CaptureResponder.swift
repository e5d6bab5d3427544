import Glibc
import TidingsCore

/// Decides the answer to a request of either protocol. The control interface answers first, then a stand-in, then the behaviour of the
/// path.
struct CaptureResponder: Sendable {
    let ledger: CaptureLedger
    let standIns: [any StandIn]

    /// A whole request.
    struct Request: Sendable {
        var method: String
        /// The path, percent-encoded, without the query.
        var path: String
        var query: [String: String] = [:]
        /// Names in lower case. If a name appears more than once, the last value counts.
        var headers: [String: String]
        var body: [UInt8]
        var isTooLong = false
        /// See ``StandInRequest``.
        var connection = 0
        var origin = ""
    }

    func answer(_ request: Request) -> CaptureAnswer {
        if request.path.hasPrefix(CaptureControl.prefix) {
            let reply = CaptureControl(ledger: ledger)
                .reply(method: request.method, path: request.path, query: request.query, body: request.body)
            return .http(.json(reply.status, reply.body + [UInt8(ascii: "\n")]))
        }
        let now = now()
        let arrival = CaptureLedger.Arrival(
            method: request.method, path: request.path, headers: request.headers, body: request.body, isTooLong: request.isTooLong,
            isHTTP2: request.connection > 0, standIn: standInAnswer(to: request, now: now))
        return ledger.receive(arrival, now: now)
    }

    private func standInAnswer(to request: Request, now: Timestamp) -> StandInAnswer? {
        for standIn in standIns {
            let own = type(of: standIn).path
            guard request.path == own || request.path.hasPrefix(own + "/") else { continue }
            return standIn.answer(
                StandInRequest(
                    method: request.method, path: String(request.path.dropFirst(own.count)), headers: request.headers, body: request.body,
                    now: now, connection: request.connection, origin: request.origin))
        }
        return nil
    }

    private func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
    }
}

extension CaptureAnswer.Response {
    /// The whole body, for a protocol that sends it at once.
    var content: [UInt8] {
        bodyBytes.map { [UInt8](repeating: UInt8(ascii: "x"), count: $0) } ?? body ?? Array("captured, answered \(status)\n".utf8)
    }
}
