/// How requests below a path are answered.
public struct CaptureBehaviour: Sendable, Hashable {
    /// A prefix of the path, by whole segments: `/shop` holds for `/shop` and `/shop/a`. `/` holds for all.
    public var path: String
    /// The statuses of the first attempts of each `webhook-id`; ``then`` follows.
    public var script: [Int]
    public var then: Int
    /// Waiting time before the answer.
    public var delay: Duration
    /// The `retry-after` header of answers that are not 2xx: seconds or a date.
    public var retryAfter: String?
    /// Gives no answer for ``CaptureLimits/longestHold``, then closes.
    public var hangs: Bool
    /// Closes the connection at once, without an answer; over HTTP/2 only the stream is reset.
    public var resets: Bool
    /// Over HTTP/2, closes the connection with a GOAWAY at every so many-th request, which says that this one was not looked at; 0 never does.
    public var goAwayEvery: Int
    /// The answer's body, in place of what a stand-in would say: an HTML page for example, or another reason.
    public var body: String?
    /// Of ``body``.
    public var contentType: String?
    /// Bytes of the answer's body; nil for a few words.
    public var bodyBytes: Int?
    /// Sends the body byte by byte, this far apart. Over HTTP/1.1 only: over HTTP/2 the answer is 501, and says so.
    public var drip: Duration?
    /// The `location` header; the status is 302 unless the script has one.
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

    /// What a path asks for by its own name; more segments may follow, to tell receivers apart. Anything else is answered 200.
    ///
    /// | path | answer |
    /// | --- | --- |
    /// | `/ok` | 200 |
    /// | `/fail/2` | 500 to the first 2 attempts of each `webhook-id`, then 200 |
    /// | `/status/410` | that status |
    /// | `/throttle/7` | 429 with `retry-after: 7` to the first attempt of each id, then 200 |
    /// | `/hang` | none |
    /// | `/reset` | none, closed at once |
    /// | `/goaway/100` | 200, but at every 100th request the HTTP/2 connection closes with a GOAWAY that leaves it unprocessed |
    /// | `/slow/1500` | 200 after that many milliseconds |
    /// | `/drip/100` | 200 with a body of one byte every so many milliseconds; 501 over HTTP/2 |
    /// | `/page` | 200 with an HTML page, as from something on the way |
    /// | `/big/1000000` | 200 with that many bytes of body |
    /// | `/redirect` | 302 to the metadata address of clouds, which nobody should ever ask |
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

    /// Whether a path lies at or below ``path``.
    func covers(_ other: String) -> Bool {
        let prefix = path.hasSuffix("/") ? String(path.dropLast()) : path
        return prefix.isEmpty || other == prefix || other.hasPrefix(prefix + "/")
    }

    /// The answer to one attempt, counted from 1.
    ///
    /// - Parameter arrival: which request of all it is, from 1.
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

/// What is done with one request.
enum CaptureAnswer: Sendable {
    case close(after: Duration)
    /// Over HTTP/2 a GOAWAY that leaves this request unprocessed; over HTTP/1.1, which has none, the connection closes.
    case goAway
    case http(Response)

    struct Response: Sendable {
        var status: Int
        var headers: [(String, String)] = []
        var delay = Duration.zero
        /// Nil for a few words, or for ``bodyBytes`` of them.
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
