import CCurl

/// One request in progress: libcurl's easy handle, the bytes received so far, and the continuation of the waiting caller.
///
/// The loop holds a transfer from before libcurl knows the handle until after it has let it go, so the uncounted reference that the
/// callbacks get is always good. The handle and its list of headers are freed in `deinit`, once.
@safe final class Transfer {
    /// Bytes of an answer's head. Servers cap theirs at 8 to 64 KiB; more is an attempt to fill memory.
    static let maximumHeadBytes = 64 << 10

    let id: UInt64
    let request: HTTPRequest
    let target: HTTPTarget
    let easy: UnsafeMutableRawPointer
    /// The buffer for libcurl's error message. libcurl needs it to exist as long as the handle.
    let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    var headerList: UnsafeMutablePointer<curl_slist>?
    private var continuation: CheckedContinuation<HTTPResult, Never>?

    /// Both time-outs run from the creation of the transfer, so the wait for a permit counts.
    let connectDeadline: ContinuousClock.Instant
    let totalDeadline: ContinuousClock.Instant
    /// The time at which the loop ends the transfer. libcurl ends an attempt to connect at ``connectDeadline`` by itself.
    var deadline: ContinuousClock.Instant { min(totalDeadline, bodyDeadline ?? totalDeadline) }

    /// Whether libcurl has the handle.
    var isUnderWay = false
    /// True from the moment before the first byte of the request.
    private(set) var hasBegunSending = false
    private var refusedAddress: String?
    private var wouldResend = false
    private var head = ResponseHead()
    /// The end of ``HTTPRequest/bodyTimeout``. Nil before the head is complete.
    private(set) var bodyDeadline: ContinuousClock.Instant?
    private var body: [UInt8] = []
    private var bodyIsTooLong = false

    init(id: UInt64, request: HTTPRequest, target: HTTPTarget, continuation: CheckedContinuation<HTTPResult, Never>) {
        guard let easy = unsafe curl_easy_init() else { preconditionFailure("libcurl has no memory for an easy handle") }
        self.id = id
        self.request = request
        self.target = target
        unsafe self.easy = unsafe easy
        self.continuation = continuation
        let now = ContinuousClock.now
        connectDeadline = now + request.connectTimeout
        totalDeadline = now + request.totalTimeout
        unsafe errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        precondition(continuation == nil, "a transfer was dropped with someone waiting for it")
        unsafe curl_easy_cleanup(easy)
        unsafe curl_slist_free_all(headerList)
        unsafe errorText.deallocate()
    }

    func finish(_ result: HTTPResult) {
        guard let continuation else { preconditionFailure("transfer \(id) finished twice") }
        self.continuation = nil
        continuation.resume(returning: result)
    }

    // MARK: Reports from libcurl during the transfer

    /// Asks the guard about an address before a socket is made for it.
    func allows(_ address: IPAddress?) -> Bool {
        guard let address else {
            refusedAddress = "the address is neither IPv4 nor IPv6"
            return false
        }
        guard let refusal = request.guarding.refusal(of: address) else { return true }
        refusedAddress = refusal
        return false
    }

    /// Records that the request begins now, on a new connection or on one kept from an earlier request. Returns false to end the transfer.
    func mayBeginSending(to address: IPAddress?) -> Bool {
        guard allows(address) else { return false }
        if hasBegunSending {
            wouldResend = true
            return false
        }
        hasBegunSending = true
        return true
    }

    /// Adds one line of the head. Returns false when the head is too long.
    func receive(headLine line: UnsafeBufferPointer<UInt8>) -> Bool {
        let isShort = unsafe head.receive(line, limit: Self.maximumHeadBytes)
        if head.isComplete, bodyDeadline == nil { bodyDeadline = request.bodyTimeout.map { .now + $0 } }
        return isShort
    }

    /// Adds a piece of the body. Returns false when the body exceeds the limit.
    func receive(body piece: UnsafeBufferPointer<UInt8>) -> Bool {
        let room = request.maximumResponseBytes - body.count
        unsafe body.append(contentsOf: piece.prefix(max(0, room)))
        bodyIsTooLong = piece.count > room
        return !bodyIsTooLong
    }

    // MARK: The outcome

    /// Combines everything known about the transfer into one result.
    func result(of code: CURLcode) -> HTTPResult {
        if head.isComplete {
            return .response(
                HTTPResponse(status: head.status, headers: head.headers, body: body, bodyTruncated: code != CURLE_OK || bodyIsTooLong))
        }
        let kind: HTTPFailure.Kind =
            if wouldResend {
                .resetAfterSend
            } else if refusedAddress != nil && !hasBegunSending {
                .addressRefused
            } else {
                failureKind(of: code, afterSendBegan: hasBegunSending)
            }
        let message = kind == .addressRefused ? refusedAddress : wouldResend ? "the kept connection was closed by the peer" : nil
        return .failed(HTTPFailure(kind: kind, requestMayHaveArrived: hasBegunSending, message: message ?? words(for: code)))
    }

    private func words(for code: CURLcode) -> String {
        if head.isTooLong { return "the head of the answer is longer than \(Self.maximumHeadBytes) bytes" }
        let given = unsafe String(cString: errorText)
        if code == CURLE_OPERATION_TIMEDOUT, given.isEmpty {
            return "no \(hasBegunSending ? "answer" : "connection") within \(request.totalTimeout)"
        }
        let text = unsafe given.isEmpty ? String(cString: curl_easy_strerror(code)) : given
        return String(text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : Character($0) })
    }
}
