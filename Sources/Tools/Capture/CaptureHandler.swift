import Foundation
import HTTPTypes
import TidingsHTTPServer

/// The link between the HTTP/1.1 server and the responder. Reads whole requests and carries out the answers.
struct CaptureHandler: Sendable {
    let responder: CaptureResponder

    func answer(_ request: ServerRequest) async -> ServerResponse {
        let body: [UInt8]
        let isTooLong: Bool
        do {
            (body, isTooLong) = try await request.body.beginning(upTo: CaptureLimits.acceptedBodyBytes)
        } catch {
            return .hangUp
        }
        let answer = responder.answer(
            CaptureResponder.Request(
                method: request.method.rawValue, path: String(request.path), query: Self.query(request.query),
                headers: Self.headers(request), body: body, isTooLong: isTooLong,
                origin: request.head.authority.map { "http://\($0)" } ?? ""))
        do {
            return try await response(for: answer)
        } catch {
            // The server stops while the answer is held.
            return .hangUp
        }
    }

    private func response(for answer: CaptureAnswer) async throws -> ServerResponse {
        switch answer {
        case .close(let hold):
            // The behaviour asks for this hold.
            try await Task.sleep(for: hold)
            return .hangUp
        case .goAway: return .hangUp
        case .http(let answer):
            // The behaviour asks for this delay.
            if answer.delay > .zero { try await Task.sleep(for: answer.delay) }
            var headers: HTTPFields = [.contentType: "text/plain"]
            for (name, value) in answer.headers {
                guard let name = HTTPField.Name(name) else { continue }
                headers[name] = value
            }
            return ServerResponse(HTTPResponse.Status(code: answer.status), headers: headers, body: Self.body(of: answer))
        }
    }

    private static func body(of answer: CaptureAnswer.Response) -> ServerResponse.Body {
        let content = answer.content
        guard let drip = answer.drip else { return .bytes(content) }
        return .stream { stream in
            let end = ContinuousClock.now + CaptureLimits.longestHold
            for byte in content where .now <= end {
                // The behaviour asks for this interval between two bytes.
                try await Task.sleep(for: drip)
                try await stream.write([byte])
            }
        }
    }

    /// Names in lower case. If a header repeats, the last value counts.
    private static func headers(_ request: ServerRequest) -> [String: String] {
        var headers = Dictionary(request.head.headerFields.map { ($0.name.canonicalName, $0.value) }) { _, last in last }
        headers["host"] = request.head.authority
        return headers
    }

    private static func query(_ query: Substring?) -> [String: String] {
        let pairs = (query ?? "").split(separator: "&").map { $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false) }
        return Dictionary(pairs.map { (String($0[0]).percentDecoded, $0.count > 1 ? String($0[1]).percentDecoded : "") }) { first, _ in
            first
        }
    }
}

extension String {
    /// The text with its percent-encoded bytes decoded. Text with a wrong escape stays as it is.
    fileprivate var percentDecoded: String { removingPercentEncoding ?? self }
}
