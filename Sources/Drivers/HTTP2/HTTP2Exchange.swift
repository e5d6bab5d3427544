import TidingsHTTP

/// One request, the response received so far, and the callback of the waiting caller.
final class HTTP2Exchange {
    /// The limit for resends of a request that the server did not process. Without it, a server that always refuses would keep the request
    /// busy until its time-out.
    static let maximumResends = 3

    let id: UInt64
    let request: HTTP2Request
    /// The end of the total time-out. The wait for a stream counts.
    let deadline: ContinuousClock.Instant
    private var whenDone: ((HTTPResult) -> Void)?

    /// Whether the first byte of the request may have left.
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

    // MARK: Progress

    func begin() { hasBegun = true }

    /// Prepares a resend of a request that the server did not process and that has no response. Returns false if the resends that count
    /// exceed ``maximumResends``.
    func takeBack(counts: Bool) -> Bool {
        hasBegun = false
        if counts { resends += 1 }
        return resends <= Self.maximumResends
    }

    /// Stores the head of the response. Interim responses (1xx) are skipped, and heads after the final one are trailers, which are dropped.
    func headArrived(_ arrived: [(String, String)]) {
        guard status == nil, let text = arrived.first(where: { $0.0 == ":status" })?.1, let code = Int(text), code >= 200 else { return }
        status = code
        headers = arrived.filter { !$0.0.hasPrefix(":") }
    }

    /// Adds bytes of the body up to the limit. Returns false when the body exceeds the limit.
    func bodyArrived(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let room = request.maximumResponseBytes - body.count
        unsafe body.append(contentsOf: bytes.prefix(room))
        bodyIsTooLong = bytes.count > room
        return !bodyIsTooLong
    }

    /// The response received so far, or nil before its head.
    func answer(isWhole: Bool) -> HTTPResult? {
        status.map { .response(HTTPResponse(status: $0, headers: headers, body: body, bodyTruncated: !isWhole)) }
    }
}
