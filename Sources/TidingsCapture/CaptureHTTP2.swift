import Foundation
import TidingsHTTP2

/// The HTTP/2 side of a ``CaptureServer``, over TLS with a certificate of its own.
struct CaptureHTTP2: Sendable {
    private let server: HTTP2Server
    private let responder: CaptureResponder

    /// Listens, and writes the certificate that clients must trust.
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
        await server.run { request in
            let (path, query) = Self.split(request.path)
            let answer = responder.answer(
                CaptureResponder.Request(
                    method: request.method, path: path, query: query,
                    headers: Dictionary(request.headers) { _, last in last }.merging(["host": request.authority]) { given, _ in given },
                    body: request.body, isTooLong: request.bodyIsTooLong, connection: request.connection, origin: origin))
            return await Self.carryOut(answer)
        }
    }

    func stop() async { await server.stop() }

    private static func carryOut(_ answer: CaptureAnswer) async -> HTTP2ServerAnswer {
        switch answer {
        case .close(let hold):
            // As long as the behaviour asks; a server that stops cuts it short.
            if hold > .zero { try? await Task.sleep(for: hold) }
            return .reset(code: 2)
        case .goAway: return .goAway(processed: false, words: "{\"reason\":\"Shutdown\"}")
        case .http(let response):
            // As long as the behaviour asks.
            if response.delay > .zero { try? await Task.sleep(for: response.delay) }
            let headers = response.headers.map { ($0.0.lowercased(), $0.1) }
            let hasType = headers.contains { $0.0 == "content-type" }
            return .response(
                status: response.status, headers: headers + (hasType ? [] : [("content-type", "text/plain")]), body: response.content)
        }
    }

    /// `/path?a=b&c`: of several with one name the first counts.
    private static func split(_ target: String) -> (path: String, query: [String: String]) {
        guard let mark = target.firstIndex(of: "?") else { return (target, [:]) }
        let pairs = target[target.index(after: mark)...].split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (String(parts[0]), parts.count == 2 ? parts[1].removingPercentEncoding ?? "" : "")
        }
        return (String(target[..<mark]), Dictionary(pairs) { first, _ in first })
    }
}
