import HTTPTypes
import Logging
package import TidingsHTTPServer
package import TidingsMetrics

/// Serves `/metrics`, `/health/live` and `/health/ready` over HTTP/1.1, beside the work of the process.
///
/// The server asks for no key. Let it listen on an address that only permitted clients can reach.
struct HealthServer: Sendable {
    /// The longest time of a request. A scrape takes milliseconds.
    static let longestRequest = Duration.seconds(5)
    /// Connections open at once. A scraper needs one.
    static let connections = 64

    let address: ListenAddress
    let metrics: Metrics
    let readiness: Readiness
    let logger: Logger

    /// Serves while `body` runs. Throws a ``Failure`` with exit code 78, without running `body`, if the server cannot listen on the
    /// address.
    func run(while body: () async throws -> Void) async throws {
        let pages = HealthPages(metrics: metrics, readiness: readiness)
        let server = HTTPServer(configuration, logger: logger) { request in
            guard let page = pages.page(request.path) else { return HealthPages.text(.notFound, "not found\n") }
            guard request.method == .get || request.method == .head else {
                var response = HealthPages.text(.methodNotAllowed, "only GET\n")
                response.headers[.allow] = "GET, HEAD"
                return response
            }
            return page()
        }
        do {
            try await server.run { port in
                logger.notice("metrics and health", metadata: ["address": "\(address.description(port: UInt16(clamping: port)))"])
                try await body()
            }
        } catch let error as HTTPServerError {
            throw Failure(
                .config, "\(Settings.metricsListenName): cannot listen on \(address.description(port: address.port)): \(error)",
                hint: "every process needs a port of its own; port 0 takes a free one")
        }
    }

    private var configuration: HTTPServerConfiguration {
        var limits = HTTPServerLimits()
        limits.connections = Self.connections
        limits.request = Self.longestRequest
        limits.idle = Self.longestRequest * 2
        limits.writeStall = Self.longestRequest * 2
        return HTTPServerConfiguration(host: address.hostText, port: Int(address.port), limits: limits, grace: .seconds(1))
    }
}

/// The pages about the state of a process.
package struct HealthPages: Sendable {
    let metrics: Metrics
    let readiness: Readiness
    private let isForProxy: Bool

    /// - Parameter isForProxy: see ``Readiness/answer(isForProxy:)``.
    package init(metrics: Metrics, readiness: Readiness, isForProxy: Bool = false) {
        self.metrics = metrics
        self.readiness = readiness
        self.isForProxy = isForProxy
    }

    /// Nil if there is no such page.
    package func page(_ path: Substring) -> (() -> ServerResponse)? {
        switch path {
        case "/metrics": scrape
        case "/health/live": live
        case "/health/ready": ready
        default: nil
        }
    }

    private func scrape() -> ServerResponse {
        metrics.databaseUp.set(readiness.isDatabaseUp ? 1 : 0)
        metrics.ready.set(readiness.answer(isForProxy: false).isReady ? 1 : 0)
        metrics.live.set(readiness.standstills().isEmpty ? 1 : 0)
        return Self.answer(.ok, ExpositionText.contentType, metrics.text(process: .read()))
    }

    private func live() -> ServerResponse {
        let standing = readiness.standstills()
        return Self.text(standing.isEmpty ? .ok : .serviceUnavailable, standing.words())
    }

    private func ready() -> ServerResponse {
        let (isReady, missing) = readiness.answer(isForProxy: isForProxy)
        return Self.answer(
            isReady ? .ok : .serviceUnavailable, "application/json", Readiness.report(isReady: isReady, missing))
    }

    static func text(_ status: HTTPResponse.Status, _ text: String) -> ServerResponse { answer(status, "text/plain", text) }

    /// Closes the connection after the answer: a scrape every few seconds needs no lasting one, and no idle connection remains.
    private static func answer(_ status: HTTPResponse.Status, _ type: String, _ text: String) -> ServerResponse {
        ServerResponse(
            status, headers: [.contentType: type, .cacheControl: "no-store"], body: .bytes(Array(text.utf8)), closesConnection: true)
    }
}
