import Synchronization
import TidingsCore

/// The requests that have arrived and the behaviours to apply: the state behind a ``CaptureServer``.
///
/// Deciding an answer, writing the record and counting are one step under one lock. The record, the counts and the order of attempts
/// therefore always agree.
final class CaptureLedger: Sendable {
    /// A request with everything that a decision needs.
    struct Arrival: Sendable {
        var method: String
        var path: String
        /// Names in lower case. If a name appears more than once, the last value counts.
        var headers: [String: String]
        var body: [UInt8]
        /// Whether the body was longer than ``CaptureLimits/acceptedBodyBytes``.
        var isTooLong = false
        /// Whether the request came over HTTP/2, where a body cannot drip.
        var isHTTP2 = false
        /// The answer of the stand-in that owns the path; nil if no stand-in does.
        var standIn: StandInAnswer?

        var webhookID: String? { headers["webhook-id"] }
        var webhookTimestamp: String? { headers["webhook-timestamp"] }
        var signature: String? { headers["webhook-signature"] }
    }

    private struct Counts {
        var attempts = 0
        var accepted = 0
    }

    private struct State: ~Copyable {
        var record: RecordFile?
        var recent = RecentRequests()
        var stats = CaptureStats()
        var counts: [String: Counts] = [:]
        var behaviours: [String: CaptureBehaviour] = [:]
        var checks: [String: SignatureCheck] = [:]
        var isStopped = false
    }

    private let standardCheck: SignatureCheck
    private let state: Mutex<State>

    init(configuration: CaptureConfiguration) throws(CaptureError) {
        standardCheck = try SignatureCheck(secrets: configuration.secrets)
        var initial = State()
        if let path = configuration.recordPath { initial.record = try RecordFile(path: path) }
        state = Mutex(initial)
    }

    /// Decides, records and counts. If the record cannot be written, the request is answered 507 and not counted: the record must contain
    /// every accepted request.
    func receive(_ arrival: Arrival, now: Timestamp) -> CaptureAnswer {
        state.withLock { state in
            let key = arrival.webhookID ?? arrival.standIn?.messageID ?? "path \(arrival.path)"
            let counts = state.counts[key]
            let isCounted = counts != nil || state.counts.count < CaptureLimits.countedIDs
            let attempt = (counts?.attempts ?? 0) + 1
            let answer = Self.bounded(
                Self.answer(to: arrival, attempt: attempt, number: state.stats.requests + 1, among: state.behaviours), to: arrival)
            let check = Self.nearest(arrival.path, among: state.checks) ?? standardCheck
            let request = CapturedRequest(
                at: now, method: arrival.method, path: arrival.path, headers: arrival.headers, webhookID: arrival.webhookID,
                messageID: arrival.standIn?.messageID, webhookTimestamp: arrival.webhookTimestamp, attempt: isCounted ? attempt : nil,
                signature: check.verdict(
                    id: arrival.webhookID, timestamp: arrival.webhookTimestamp, signature: arrival.signature, body: arrival.body, now: now),
                status: answer.status, body: Array(arrival.body.prefix(CaptureLimits.recordedBodyBytes)),
                bodyBytes: arrival.body.count)
            let isRecorded = state.record?.append(line: request.json) ?? true
            guard isRecorded else { return .http(CaptureAnswer.Response(status: 507)) }
            state.recent.append(request)
            Self.count(request, under: isCounted ? key : nil, &state)
            return answer
        }
    }

    private static func count(_ request: CapturedRequest, under key: String?, _ state: inout State) {
        state.stats.requests += 1
        state.stats.signatures[request.signature, default: 0] += 1
        state.stats.statuses[request.status ?? 0, default: 0] += 1
        let hasID = request.webhookID != nil || request.messageID != nil
        if !hasID { state.stats.withoutID += 1 }
        guard let key else {
            state.stats.isExact = false
            return
        }
        var counts = state.counts[key] ?? Counts()
        counts.attempts += 1
        let isAccepted = request.status.map { (200...299).contains($0) } ?? false
        if isAccepted { counts.accepted += 1 }
        state.counts[key] = counts
        guard hasID else { return }
        if counts.attempts == 1 { state.stats.distinctIDs += 1 }
        guard isAccepted else { return }
        if counts.accepted == 1 { state.stats.acceptedIDs += 1 }
        if counts.accepted == 2 { state.stats.duplicatesAccepted += 1 }
        if counts.accepted > 1 { state.stats.extraAccepted += 1 }
    }

    // MARK: Queries and settings

    var stats: CaptureStats { state.withLock { $0.stats } }

    func requests(where isWanted: (CapturedRequest) -> Bool) -> [CapturedRequest] {
        state.withLock { $0.recent.inOrder }.filter(isWanted)
    }

    /// Deletes requests and counts, so that attempts begin at 1 again. Behaviours, secrets and the record file stay.
    func clear() {
        state.withLock { state in
            state.recent = RecentRequests()
            state.stats = CaptureStats()
            state.counts = [:]
        }
    }

    /// Returns false if too many paths have behaviours.
    @discardableResult
    func program(_ behaviour: CaptureBehaviour) -> Bool {
        state.withLock { state in
            guard state.behaviours[behaviour.path] != nil || state.behaviours.count < CaptureLimits.programmedPaths else { return false }
            state.behaviours[behaviour.path] = behaviour
            return true
        }
    }

    func clearBehaviours() {
        state.withLock { $0.behaviours = [:] }
    }

    /// Returns false if too many paths have secrets.
    func setSecrets(_ check: SignatureCheck, below path: String) -> Bool {
        state.withLock { state in
            guard state.checks[path] != nil || state.checks.count < CaptureLimits.programmedPaths else { return false }
            state.checks[path] = check
            return true
        }
    }

    func markStopped() { state.withLock { $0.isStopped = true } }
    var isStopped: Bool { state.withLock { $0.isStopped } }

    // MARK: By path

    /// Returns the answer, with two exceptions: 413 if the request is too long to be read whole, and 501 if the answer needs HTTP/1.1.
    private static func bounded(_ answer: CaptureAnswer, to arrival: Arrival) -> CaptureAnswer {
        if arrival.isTooLong { return .http(CaptureAnswer.Response(status: 413)) }
        guard arrival.isHTTP2, case .http(let response) = answer, response.drip != nil else { return answer }
        return .http(CaptureAnswer.Response(status: 501, body: Array("a body drips over HTTP/1.1 only\n".utf8)))
    }

    /// Returns the first of these answers that exists: a programmed behaviour, the stand-in, the behaviour that the path names. A
    /// programmed behaviour is first, so that a stand-in misbehaves as asked.
    ///
    /// Exception: if a programmed success has no body, the stand-in answers, with the delay and the drip of the programmed success.
    private static func answer(
        to arrival: Arrival, attempt: Int, number: Int, among behaviours: [String: CaptureBehaviour]
    ) -> CaptureAnswer {
        let programmed = nearest(arrival.path, among: behaviours)?.answer(attempt: attempt, arrival: number)
        guard let standIn = arrival.standIn else {
            return programmed ?? CaptureBehaviour.named(by: arrival.path).answer(attempt: attempt, arrival: number)
        }
        guard let programmed else { return standIn.answer(attempt: attempt) }
        guard case .http(let asked) = programmed, programmed.isSuccess, asked.body == nil,
            case .http(var response) = standIn.answer(attempt: attempt)
        else {
            return programmed
        }
        response.delay = asked.delay
        response.drip = asked.drip
        return .http(response)
    }

    /// Returns the value of the path, or of the nearest path above. Needs one look-up a segment.
    private static func nearest<Value>(_ path: String, among values: [String: Value]) -> Value? {
        guard !values.isEmpty else { return nil }
        var prefix = path[...]
        while true {
            if let value = values[String(prefix)] ?? values[prefix + "/"] { return value }
            guard let slash = prefix.lastIndex(of: "/") else { return nil }
            prefix = prefix[..<slash]
        }
    }
}
