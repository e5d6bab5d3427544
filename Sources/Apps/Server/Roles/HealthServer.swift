import FlyingFox
import FlyingSocks
import Foundation
import Logging
import Synchronization
import TidingsMetrics

/// Serves `/metrics`, `/health/live` and `/health/ready` over HTTP/1.1, beside the work of the process.
///
/// The server has no protection of its own. Let it listen on an address that only permitted clients can reach.
struct HealthServer: Sendable {
    /// The longest time of a request. A scrape takes milliseconds.
    static let longestRequest = Duration.seconds(5)
    /// The pause before the server listens again after it ended by itself, for example because no file descriptor was left.
    private static let pause = Duration.seconds(1)

    let address: ListenAddress
    let metrics: Metrics
    let readiness: Readiness
    let logger: Logger

    /// Serves while `body` runs. Throws a ``Failure`` with exit code 78, without running `body`, if the server cannot listen on the
    /// address.
    /// Later errors are logged, and the server listens again.
    func run(while body: () async throws -> Void) async throws {
        let server = HTTPServer(config: try configuration(), handler: HealthHandler(metrics: metrics, readiness: readiness))
        let state = ListeningState()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await serve(on: server, state) }
            group.addTask { try await server.waitUntilListening(timeout: Self.longestRequest / .seconds(1)) }
            do {
                try await group.next()
            } catch {
                throw Failure(
                    .config,
                    "\(Settings.metricsListenName): cannot listen on \(address.description(port: address.port)): \(Self.cause(error))",
                    hint: "every process needs a port of its own; port 0 takes a free one")
            }
            state.begin()
            let port = await port(of: server)
            logger.notice("metrics and health", metadata: ["address": "\(address.description(port: port))"])
            try await body()
            group.cancelAll()
        }
    }

    private func serve(on server: HTTPServer, _ state: ListeningState) async throws {
        while !Task.isCancelled {
            do {
                try await server.run()
            } catch {
                guard state.hasBegun else { throw error }
                if Task.isCancelled { return }
                logger.warning("metrics and health have ended, listening again", metadata: ["error": "\(Self.cause(error))"])
            }
            try? await Task.sleep(for: Self.pause)
        }
    }

    private func configuration() throws -> HTTPServer.Configuration {
        switch address.host {
        case .ip4(let host): configuration(try .inet(ip4: host, port: address.port) as sockaddr_in)
        case .ip6(let host): configuration(try .inet6(ip6: host, port: address.port) as sockaddr_in6)
        }
    }

    private func configuration(_ address: some SocketAddress) -> HTTPServer.Configuration {
        HTTPServer.Configuration(
            address: address, timeout: Self.longestRequest / .seconds(1), pool: ImpatientPool(HTTPServer.defaultPool()), logger: .disabled)
    }

    private func port(of server: HTTPServer) async -> UInt16 {
        switch await server.listeningAddress {
        case .ip4(_, let port), .ip6(_, let port): port
        case .unix, nil: address.port
        }
    }

    private static func cause(_ error: any Error) -> String {
        if case SocketError.failed(_, _, let message) = error { message } else { "\(error)" }
    }
}

/// Whether the server has listened on the address at least once. An operator must mend a failure before that.
private final class ListeningState: Sendable {
    private let begun = Atomic(false)

    var hasBegun: Bool { begun.load(ordering: .relaxed) }

    func begin() { begun.store(true, ordering: .relaxed) }
}

private struct HealthHandler: HTTPHandler {
    let metrics: Metrics
    let readiness: Readiness

    func handleRequest(_ request: HTTPRequest) async throws -> HTTPResponse {
        guard let content = content(of: request.target.path()) else { return Self.response(.notFound, "text/plain", "not found\n") }
        guard request.method == .GET else {
            var response = Self.response(.methodNotAllowed, "text/plain", "only GET\n")
            response.headers[HTTPHeader("Allow")] = "GET"
            return response
        }
        return content()
    }

    private func content(of path: String) -> (() -> HTTPResponse)? {
        switch path {
        case "/metrics": scrape
        case "/health/live": { Self.response(.ok, "text/plain", "ok\n") }
        case "/health/ready": ready
        default: nil
        }
    }

    private func scrape() -> HTTPResponse {
        metrics.databaseUp.set(readiness.isDatabaseUp ? 1 : 0)
        metrics.ready.set(readiness.missing.isEmpty ? 1 : 0)
        return Self.response(.ok, ExpositionText.contentType, metrics.text(process: .read()))
    }

    private func ready() -> HTTPResponse {
        let missing = readiness.missing
        return Self.response(missing.isEmpty ? .ok : .serviceUnavailable, "application/json", Readiness.report(missing))
    }

    /// Closes the connection after the answer: a scrape every few seconds needs no lasting one, and no idle connection remains.
    private static func response(_ status: HTTPStatusCode, _ type: String, _ text: String) -> HTTPResponse {
        HTTPResponse(
            statusCode: status, headers: [.contentType: type, .connection: "close", .cacheControl: "no-store"], body: Data(text.utf8))
    }
}
