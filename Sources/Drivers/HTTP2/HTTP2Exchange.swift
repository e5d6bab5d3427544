import TidingsHTTP

/// One request with what has come back for it, and who waits.
final class HTTP2Exchange {
    /// How often a request that the server did not process is sent again: a server that always refuses must not keep it going until its time-out.
    static let maximumResends = 3

    let id: UInt64
    let request: HTTP2Request
    /// Waiting for a stream counts.
    let deadline: ContinuousClock.Instant
    private var whenDone: ((HTTPResult) -> Void)?

    /// The first byte of it may have left.
    private(set) var hasBegun = false
    private var resends = 0
    private var status: Int?
    private var headers: [(String, String)] = []
    private var body: [UInt8] = []
    private(set) var bodyIsTooLong = false

    /// - Parameter whenDone: called exactly once.
    init(id: UInt64, request: HTTP2Request, whenDone: @escaping (HTTPResult) -> Void) {
        self.id = id
        self.request = request
        self.whenDone = whenDone
        deadline = .now + request.totalTimeout
    }

    deinit { precondition(whenDone == nil, "a request was dropped with someone waiting for it") }

    func finish(_ result: HTTPResult) {
        guard let whenDone else { preconditionFailure("request \(id) finished twice") }
        self.whenDone = nil
        whenDone(result)
    }

    func fail(_ kind: HTTPFailure.Kind, _ message: String) {
        finish(.failed(HTTPFailure(kind: kind, requestMayHaveArrived: hasBegun, message: message)))
    }

    // MARK: What comes of it

    func begin() { hasBegun = true }

    /// The server did not process it, and nothing came back. False when it was sent again often enough.
    func takeBack(counts: Bool) -> Bool {
        hasBegun = false
        if counts { resends += 1 }
        return resends <= Self.maximumResends
    }

    /// An interim answer (1xx) is skipped, and what follows the answer's own head are trailers.
    func headArrived(_ arrived: [(String, String)]) {
        guard status == nil, let text = arrived.first(where: { $0.0 == ":status" })?.1, let code = Int(text), code >= 200 else { return }
        status = code
        headers = arrived.filter { !$0.0.hasPrefix(":") }
    }

    /// False when the body is longer than wanted.
    func bodyArrived(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let room = request.maximumResponseBytes - body.count
        unsafe body.append(contentsOf: bytes.prefix(room))
        bodyIsTooLong = bytes.count > room
        return !bodyIsTooLong
    }

    /// The answer as far as it came; nil before its head.
    func answer(isWhole: Bool) -> HTTPResult? {
        status.map { .response(HTTPResponse(status: $0, headers: headers, body: body, bodyTruncated: !isWhole)) }
    }
}
