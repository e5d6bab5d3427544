/// The answers to requests at and below a path.
public struct CaptureBehaviour: Sendable, Hashable {
    /// A prefix of the path, by whole segments: `/shop` covers `/shop` and `/shop/a`. `/` covers every path.
    public var path: String
    /// The statuses of the first attempts of each `webhook-id`. Later attempts get ``then``.
    public var script: [Int]
    public var then: Int
    /// The time before the answer.
    public var delay: Duration
    /// The `retry-after` header of answers that are not 2xx: seconds or a date.
    public var retryAfter: String?
    /// Whether the server sends no answer for ``CaptureLimits/longestHold`` and then closes the connection.
    public var hangs: Bool
    /// Whether the server closes the connection at once, without an answer. Over HTTP/2 only the stream is reset.
    public var resets: Bool
    /// Over HTTP/2: the server closes the connection with a GOAWAY at every request whose number is a multiple of this. The GOAWAY says
    /// that this request was not processed. 0 sends no GOAWAY.
    public var goAwayEvery: Int
    /// The answer's body, instead of the stand-in's own. For example an HTML page, or another reason.
    public var body: String?
    /// The content type of ``body``.
    public var contentType: String?
    /// The length of the answer's body in bytes; nil for a few words.
    public var bodyBytes: Int?
    /// The pause before each byte of the body, which is then sent byte by byte. Only over HTTP/1.1: over HTTP/2 the answer is a 501 that
    /// explains this.
    public var drip: Duration?
    /// The `location` header. The status is 302 unless the script has another.
    public var redirectTo: String?

    public init(
        path: String = "/", script: [Int] = [], then: Int = 200, delay: Duration = .zero, retryAfter: String? = nil, hangs: Bool = false,
        resets: Bool = false, goAwayEvery: Int = 0, body: String? = nil, contentType: String? = nil, bodyBytes: Int? = nil,
        drip: Duration? = nil, redirectTo: String? = nil
    ) {
        self.path = path
        self.script = script
        self.then = redirectTo == nil ? then : 302
        self.delay = delay
        self.retryAfter = retryAfter
        self.hangs = hangs
        self.resets = resets
        self.goAwayEvery = goAwayEvery
        self.body = body
        self.contentType = contentType
        self.bodyBytes = bodyBytes
        self.drip = drip
        self.redirectTo = redirectTo
    }

    /// Returns the behaviour that a path names. More segments may follow, to tell receivers apart. Any other path is answered 200.
    ///
    /// | path | answer |
    /// | --- | --- |
    /// | `/ok` | 200 |
    /// | `/fail/2` | 500 to the first 2 attempts of each `webhook-id`, then 200 |
    /// | `/status/410` | that status |
    /// | `/throttle/7` | 429 with `retry-after: 7` to the first attempt of each id, then 200 |
    /// | `/hang` | none |
    /// | `/reset` | none; the connection is closed at once |
    /// | `/goaway/100` | 200, but every 100th request closes the HTTP/2 connection with a GOAWAY that leaves the request unprocessed |
    /// | `/slow/1500` | 200 after that many milliseconds |
    /// | `/drip/100` | 200 with a body of one byte every so many milliseconds; 501 over HTTP/2 |
    /// | `/page` | 200 with an HTML page, as from a server in between |
    /// | `/big/1000000` | 200 with that many bytes of body |
    /// | `/redirect` | 302 to the metadata address of clouds, which no client should ever ask |
    public static func named(by path: String) -> CaptureBehaviour {
        let words = path.split(separator: "/")
        let number = words.dropFirst().first.flatMap { Int($0) }.map { max(0, $0) }
        switch (words.first, number) {
        case ("fail", let count?):
            return CaptureBehaviour(script: Array(repeating: 500, count: min(count, CaptureLimits.scriptLength)))
        case ("status", let status?) where (200...599).contains(status): return CaptureBehaviour(then: status)
        case ("throttle", let seconds?): return CaptureBehaviour(script: [429], retryAfter: String(seconds))
        case ("hang", _): return CaptureBehaviour(hangs: true)
        case ("goaway", let count?): return CaptureBehaviour(goAwayEvery: count)
        case ("reset", _): return CaptureBehaviour(resets: true)
        case ("slow", let milliseconds?): return CaptureBehaviour(delay: held(milliseconds))
        case ("drip", let milliseconds?): return CaptureBehaviour(drip: held(milliseconds))
        case ("page", _): return CaptureBehaviour(body: page, contentType: "text/html")
        case ("big", let bytes?): return CaptureBehaviour(bodyBytes: min(bytes, CaptureLimits.answerBytes))
        case ("redirect", _): return CaptureBehaviour(redirectTo: "http://169.254.169.254/")
        default: return CaptureBehaviour()
        }
    }

    private static let page = "<!DOCTYPE html><html><body><h1>Welcome</h1>Please sign in to use this network.</body></html>"

    static func held(_ milliseconds: Int) -> Duration {
        min(.milliseconds(milliseconds), CaptureLimits.longestHold)
    }

    /// Returns the answer to one attempt, counted from 1.
    ///
    /// - Parameter arrival: the number of the request among all requests, from 1.
    func answer(attempt: Int, arrival: Int) -> CaptureAnswer {
        if resets { return .close(after: .zero) }
        if goAwayEvery > 0, arrival.isMultiple(of: goAwayEvery) { return .goAway }
        if hangs { return .close(after: CaptureLimits.longestHold) }
        let status = attempt <= script.count ? script[attempt - 1] : then
        var headers: [(String, String)] = []
        if let retryAfter, !(200...299).contains(status) { headers.append(("retry-after", retryAfter)) }
        if let redirectTo, (300...399).contains(status) { headers.append(("location", redirectTo)) }
        if let contentType { headers.append(("content-type", contentType)) }
        return .http(
            CaptureAnswer.Response(
                status: status, headers: headers, delay: delay, body: body.map { Array($0.utf8) }, bodyBytes: bodyBytes, drip: drip))
    }
}

/// The answer to one request, or the end of its connection.
enum CaptureAnswer: Sendable {
    case close(after: Duration)
    /// Over HTTP/2 a GOAWAY that leaves this request unprocessed. HTTP/1.1 has no GOAWAY, so the connection is closed.
    case goAway
    case http(Response)

    struct Response: Sendable {
        var status: Int
        var headers: [(String, String)] = []
        var delay = Duration.zero
        /// The body; nil for a few words, or for ``bodyBytes`` bytes.
        var body: [UInt8]?
        var bodyBytes: Int?
        var drip: Duration?
    }

    var isSuccess: Bool { status.map { (200...299).contains($0) } ?? false }

    var status: Int? {
        switch self {
        case .close, .goAway: nil
        case .http(let response): response.status
        }
    }
}
