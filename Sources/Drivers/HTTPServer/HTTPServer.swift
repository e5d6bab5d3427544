import Glibc
import HTTPTypes
import HummingbirdCore
public import Logging
import NIOCore
import NIOHTTPTypes
import NIOPosix
import TidingsWaiting

/// The HTTP/1.1 server of this house, over Hummingbird. The server knows nothing of notifications.
///
/// One handler answers every request. The server bounds what a client can cost before the handler sees the request:
/// ``HTTPServerLimits``. A refusal of the server itself has a body that the owner makes (``HTTPServerConfiguration/refusal``).
public struct HTTPServer: Sendable {
    /// Answers one request. An answer that does not read the body closes the connection.
    public typealias Handler = @Sendable (ServerRequest) async -> ServerResponse

    private let configuration: HTTPServerConfiguration
    private let logger: Logger
    private let handler: Handler

    /// - Parameter handler: called for every request, for many at once.
    public init(_ configuration: HTTPServerConfiguration, logger: Logger, handler: @escaping Handler) {
        self.configuration = configuration
        self.logger = logger
        self.handler = handler
    }

    /// Serves while `body` runs. Afterwards no new connection is accepted, requests in work are answered within
    /// ``HTTPServerConfiguration/grace``, and every connection is closed.
    ///
    /// Throws an ``HTTPServerError``, without running `body`, if the server cannot listen on the address.
    ///
    /// - Parameter body: gets the port, which the system chose if the configured port is 0.
    public func run(while body: (_ port: Int) async throws -> Void) async throws {
        let plain = HTTP1Channel(responder: responder, configuration: channelConfiguration)
        if let session = configuration.session {
            try await run(TLSChannel(base: plain, session: session, patience: configuration.limits.request), while: body)
        } else {
            try await run(plain, while: body)
        }
    }

    private func run(_ channel: some ServerChildChannel, while body: (_ port: Int) async throws -> Void) async throws {
        // The port, or why the server does not listen. The end of a server that has listened comes second and changes nothing.
        let start = OneShot<Result<Int, HTTPServerError>>()
        let server = Server(
            childChannelSetup: channel, configuration: serverConfiguration,
            onServerRunning: { start.set(.success($0.localAddress?.port ?? 0)) }, eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
            logger: Logger(label: "http", factory: { _ in SwiftLogNoOpLogHandler() })
        )
        // Detached: the graceful shutdown of the process must not end the server before its owner does. Awaited below.
        let serving = Task.detached {
            do {
                try await server.run()
                start.set(.failure(HTTPServerError(message: "the server has ended")))
            } catch {
                start.set(.failure(HTTPServerError(error)))
            }
        }
        do {
            try await body(try await start.value().get())
        } catch {
            await stop(server, serving)
            throw error
        }
        await stop(server, serving)
    }

    private func stop(_ server: Server<some ServerChildChannel>, _ serving: Task<Void, Never>) async {
        // Cuts off the connections whose requests outlast the grace. Cancelled if the server stops in time.
        let cut = Task {
            try await Task.sleep(for: configuration.grace)
            serving.cancel()
        }
        do { try await server.shutdownGracefully() } catch { serving.cancel() }
        await serving.value
        cut.cancel()
    }

    private var serverConfiguration: ServerConfiguration {
        ServerConfiguration(
            address: .hostname(configuration.host, port: configuration.port), backlog: configuration.limits.backlog,
            availableConnectionsDelegate: MaximumAvailableConnections(configuration.limits.acceptedConnections))
    }

    private var channelConfiguration: HTTP1Channel.Configuration {
        let limits = configuration.limits
        let refusal = configuration.refusal
        let connections = OpenConnections(limits, group: configuration.connectionGroup, admits: configuration.admitsConnection)
        return HTTP1Channel.Configuration(
            additionalChannelHandlers: [ConnectionGuard(limits, connections, refusal: refusal)], idleTimeout: TimeAmount(limits.idle),
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: limits.headerFieldBytes, maxHeaderListSize: limits.headerBytes, maxHeaderFieldCount: limits.headerFields
            ))
    }

    private var responder: HTTPChannelHandler.Responder {
        let (handler, limits) = (handler, configuration.limits)
        return { request, writer, channel in
            let body = ServerRequestBody(request, on: channel)
            if request.headers[.expect]?.lowercased() == "100-continue", body.declaredBytes ?? 0 <= limits.bodyBytes {
                try await writer.writeInformationalHead(HTTPResponse(status: .continue))
            }
            let response = await handler(ServerRequest(head: request.head, body: body, remoteAddress: channel.remoteAddress?.ipAddress))
            try await Answer(response, to: request, body: body, channel: channel, limits: limits).write(to: writer)
        }
    }
}

/// The reason why a server cannot listen.
public struct HTTPServerError: Error, Sendable, Hashable, CustomStringConvertible {
    public let message: String
    /// Whether another program listens on the address.
    public let isAddressInUse: Bool

    init(message: String) {
        self.message = message
        isAddressInUse = false
    }

    init(_ error: any Error) {
        let code = (error as? IOError)?.errnoCode
        message = code.map { String(cString: strerror($0)) } ?? "\(error)"
        isAddressInUse = code == EADDRINUSE
    }

    public var description: String { message }
}
