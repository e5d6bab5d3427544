import Foundation
import TidingsHTTP2Server

/// The HTTP/2 part of a ``CaptureServer``, over TLS with a certificate of its own.
struct CaptureHTTP2: Sendable {
    private let server: HTTP2Server
    private let responder: CaptureResponder

    /// Opens the port, and writes the certificate that clients must trust.
    init(_ settings: CaptureConfiguration.TLS, responder: CaptureResponder) throws(CaptureError) {
        guard let certificate = SelfSignedCertificate() else { throw CaptureError(message: "OpenSSL makes no certificate") }
        do {
            try certificate.pem.write(toFile: settings.certificatePath, atomically: true, encoding: .utf8)
            server = try HTTP2Server.open(
                HTTP2ServerConfiguration(
                    port: settings.port, certificate: certificate, maximumBodyBytes: CaptureLimits.acceptedBodyBytes))
        } catch {
            throw CaptureError(message: "no HTTP/2: \(error)")
        }
        self.responder = responder
    }

    var port: UInt16 { server.port }

    func run() async {
        let (responder, origin) = (responder, "https://127.0.0.1:\(port)")
        await server.run(answering: { request in
            let (path, query) = Self.split(request.path)
            var headers = ["host": request.authority]
            for (name, value) in request.headers { headers[name] = value }
            let answer = responder.answer(
                CaptureResponder.Request(
                    method: request.method, path: path, query: query, headers: headers, body: request.body,
                    isTooLong: request.bodyIsTooLong,
                    connection: request.connection, origin: origin))
            return Self.reply(with: answer)
        })
    }

    func stop() async { await server.stop() }

    private static func reply(with answer: CaptureAnswer) -> HTTP2ServerReply {
        switch answer {
        case .close(let hold): reply(with: .reset(code: 2), after: hold)
        case .goAway: .now(.goAway(processed: false, words: "{\"reason\":\"Shutdown\"}"))
        case .http(let response): reply(with: Self.answer(of: response), after: response.delay)
        }
    }

    /// Returns the answer after the behaviour's delay. Stopping the server cuts the delay short.
    private static func reply(with answer: HTTP2ServerAnswer, after delay: Duration) -> HTTP2ServerReply {
        guard delay > .zero else { return .now(answer) }
        return .later {
            // The delay itself is the behaviour under test. Stopping the server cancels the sleep.
            try? await Task.sleep(for: delay)
            return answer
        }
    }

    private static func answer(of response: CaptureAnswer.Response) -> HTTP2ServerAnswer {
        let headers = response.headers.map { ($0.0.lowercased(), $0.1) }
        let hasType = headers.contains { $0.0 == "content-type" }
        return .response(
            status: response.status, headers: headers + (hasType ? [] : [("content-type", "text/plain")]), body: response.content)
    }

    /// Splits `/path?a=b&c`. If a name appears more than once, the first value counts.
    private static func split(_ target: String) -> (path: String, query: [String: String]) {
        guard let mark = target.firstIndex(of: "?") else { return (target, [:]) }
        let pairs = target[target.index(after: mark)...].split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (String(parts[0]), parts.count == 2 ? parts[1].removingPercentEncoding ?? "" : "")
        }
        return (String(target[..<mark]), Dictionary(pairs) { first, _ in first })
    }
}
