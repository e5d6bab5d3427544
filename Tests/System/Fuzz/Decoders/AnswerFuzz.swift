import TidingsCore
import TidingsHTTP

@testable import ProviderWebhook
@testable import TidingsHTTP
@testable import TidingsProvider

/// The answers of a webhook receiver, from the lines of the head to the outcome of the delivery.
struct AnswerFuzz: FuzzTarget {
    static let name = "answers"
    let corpus: [[UInt8]]
    private let mutator: ByteMutator
    /// 2026-06-01T12:00:00Z.
    private let now = Timestamp(seconds: 1_780_315_200)

    init() {
        corpus = Self.heads.map { Array($0.utf8) } + [Array(("HTTP/1.1 200 OK\r\n" + String(repeating: "a: b\r\n", count: 20_000)).utf8)]
        mutator = ByteMutator(corpus: Self.heads.map { Array($0.utf8) }, words: Self.words)
    }

    func input(_ random: inout FuzzRandom) -> [UInt8] { mutator.mutated(&random) }
    func bytes(of input: [UInt8]) -> [UInt8] { input }

    func feed(_ input: [UInt8]) throws -> FuzzVerdict {
        var head = ResponseHead()
        var bytes = 0
        var body = input[...]
        while let end = body.firstIndex(of: 0x0A), !head.isComplete {
            let line = body[...end]
            body = body[(end + 1)...]
            bytes += line.count
            let isTaken = line.withUnsafeBufferPointer { head.receive($0, limit: Transfer.maximumHeadBytes) }
            try require(isTaken == (bytes <= Transfer.maximumHeadBytes), "a head of \(bytes) bytes is taken: \(isTaken)")
            guard isTaken else { return .refused }
        }
        try require(head.status == 0 || 0...999 ~= head.status, "status \(head.status)")
        for (name, value) in head.headers {
            try require(name == name.lowercased(), "a header's name is not in lower case")
            try require(!value.utf8.contains { $0 == 0x0D || $0 == 0x0A }, "a line break in a header's value")
        }
        guard head.isComplete else { return .refused }
        try require(head.status >= 200, "an interim answer is taken for the last")
        let response = HTTPResponse(status: head.status, headers: head.headers, body: Array(body), bodyTruncated: false)
        try check(webhookResult(of: .response(response), now: now), of: response)
        return .accepted
    }

    private func check(_ result: SendResult, of response: HTTPResponse) throws {
        try require((result.detail?.utf8.count ?? 0) <= SendResult.longestDetail, "a detail of \(result.detail?.utf8.count ?? 0) bytes")
        try require(result.status == response.status, "another status")
        switch result.outcome {
        case .accepted: try require(200...299 ~= response.status, "accepted with status \(response.status)")
        case .retry(let after, let reason):
            try require(reason.kind == .attempt, "a reason that is none: \(reason)")
            if let after { try require(after >= .zero && after <= longestRetryAfter, "again after \(after)") }
        case .rejected: try require(300...399 ~= response.status, "rejected with status \(response.status)")
        case .endpointGone: try require(response.status == 410, "gone with status \(response.status)")
        case .misconfigured, .unknown: throw BrokenProperty(description: "an answer that means \(result.outcome)")
        }
    }

    private static let heads: [String] = [
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nthanks", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n",
        "HTTP/1.1 429 Slow Down\r\nRetry-After: 120\r\n\r\n{\"error\":\"slow\"}",
        "HTTP/2 503\r\nretry-after: Sun, 06 Nov 2033 08:49:37 GMT\r\n\r\n",
        "HTTP/1.1 503 x\r\nRetry-After: Sunday, 06-Nov-33 08:49:37 GMT\r\n\r\n",
        "HTTP/1.0 500 x\nRetry-After: Sun Nov  6 08:49:37 2033\n\n\u{1B}[31m",
        "HTTP/1.1 429 x\r\nRetry-After: 99999999999999999999\r\n\r\n", "HTTP/1.1 301 x\r\nLocation: /\r\n\r\n", "HTTP/1.1 410 Gone\r\n\r\n",
        "HTTP/1.1 502 x\r\nRetry-After: Sun, 06 Nov -9223372036854775808 08:49:37 GMT\r\n\r\n",
        "HTTP/1.1 502 x\r\nRetry-After: Sun, 06 Nov 9999 23:59:60 GMT\r\n\r\n", "HTTP/1.1\r\n\r\n", "HTTP/1.1 99\r\n: \r\n\r\n", "\r\n",
        "x",
        "HTTP/1.1 400 x\r\nA:\r\nB\r\n c: d\r\n\r\n",
    ]

    private static let words = [
        "HTTP/1.1 ", "200", "204", "302", "410", "429", "503", "Retry-After: ", "GMT", "Sun, ", "Nov", "06", "08:49:37", "-94", "\r\n",
        "\r\n\r\n", ":",
        "-1", "+1", "9223372036854775807", "0x1F", "\t", "99:99:99",
    ]
}
