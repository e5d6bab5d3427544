import CCurl

/// One request under way: libcurl's easy handle, what has arrived, and who waits for it.
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
    /// libcurl writes its words here and wants it to stay while the handle lives.
    let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    var headerList: UnsafeMutablePointer<curl_slist>?
    private var continuation: CheckedContinuation<HTTPResult, Never>?

    /// Waiting to be admitted counts: both time-outs run from here.
    let connectDeadline: ContinuousClock.Instant
    let totalDeadline: ContinuousClock.Instant

    /// libcurl has the handle.
    var isUnderWay = false
    /// From the moment before the first byte of the request.
    private(set) var hasBegunSending = false
    private var refusedAddress: String?
    private var wouldResend = false
    private var head = ResponseHead()
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

    // MARK: What libcurl reports on the way

    /// A socket is about to be made for this address.
    func allows(_ address: IPAddress?) -> Bool {
        guard let address else {
            refusedAddress = "the address is neither IPv4 nor IPv6"
            return false
        }
        guard let refusal = request.guarding.refusal(of: address) else { return true }
        refusedAddress = refusal
        return false
    }

    /// A connection stands, new or kept from an earlier request, and the request goes out next. False ends the transfer.
    func mayBeginSending(to address: IPAddress?) -> Bool {
        guard allows(address) else { return false }
        if hasBegunSending {
            wouldResend = true
            return false
        }
        hasBegunSending = true
        return true
    }

    /// One line of the head; false when the head is too long.
    func receive(headLine line: UnsafeBufferPointer<UInt8>) -> Bool {
        unsafe head.receive(line, limit: Self.maximumHeadBytes)
    }

    /// A piece of the body; false when the limit is reached.
    func receive(body piece: UnsafeBufferPointer<UInt8>) -> Bool {
        let room = request.maximumResponseBytes - body.count
        unsafe body.append(contentsOf: piece.prefix(max(0, room)))
        bodyIsTooLong = piece.count > room
        return !bodyIsTooLong
    }

    // MARK: How it ended

    /// Everything known about the transfer, as one result.
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
        let text = unsafe given.isEmpty ? String(cString: curl_easy_strerror(code)) : given
        return String(text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : Character($0) })
    }
}
