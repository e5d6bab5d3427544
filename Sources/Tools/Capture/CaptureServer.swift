import Logging
import TidingsHTTPServer
import TidingsWaiting

/// A stand-in for webhook receivers and push providers. Records and checks the requests that arrive, and misbehaves on request. Uses plain
/// HTTP/1.1 and, if configured, HTTP/2 over TLS.
///
/// The ``CaptureBehaviour`` that was set for a path decides the answer. Without one, the path itself decides: see
/// ``CaptureBehaviour/named(by:)``. Every request is written to the record before it is answered, so the record contains every request
/// whose answer a sender has.
///
/// The control interface is below `/_capture/`, see `CaptureControl`. The interface has no protection, so the server listens on loopback
/// only.
public final class CaptureServer: Sendable {
    private let server: HTTPServer
    private let http2: CaptureHTTP2?
    private let ledger: CaptureLedger
    private let wantedPort: UInt16
    /// The port, or why the server does not listen.
    private let start = OneShot<Result<UInt16, CaptureError>>()
    private let end = OneShot<Void>()

    /// Opens the record. The server does not answer yet.
    public init(configuration: CaptureConfiguration = CaptureConfiguration()) throws(CaptureError) {
        let ledger = try CaptureLedger(configuration: configuration)
        let standIns: [any StandIn] = [
            try APNsStandIn(pems: configuration.apnsKeys), AirshipStandIn(), BrazeStandIn(), FCMStandIn(), WebPushStandIn(),
        ]
        let responder = CaptureResponder(ledger: ledger, standIns: standIns)
        self.ledger = ledger
        wantedPort = configuration.port
        let handler = CaptureHandler(responder: responder)
        server = HTTPServer(Self.settings(port: configuration.port), logger: Logger(label: "capture")) { await handler.answer($0) }
        if let tls = configuration.tls {
            http2 = try CaptureHTTP2(tls, responder: responder)
        } else {
            http2 = nil
        }
    }

    private static func settings(port: UInt16) -> HTTPServerConfiguration {
        var limits = HTTPServerLimits()
        limits.bodyBytes = .max
        // Senders under test are slow on purpose, and hold answers back.
        limits.request = CaptureLimits.longestHold
        limits.writeStall = CaptureLimits.longestHold
        // A stop disconnects the senders whose answers are being held.
        return HTTPServerConfiguration(host: "127.0.0.1", port: Int(port), limits: limits, grace: .zero)
    }

    /// Listens and answers until ``stop()`` is called or the task is cancelled.
    public func run() async throws {
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                // One task for each protocol. Both end with ``stop()``; if one fails, the group cancels the second.
                if let http2 { group.addTask { await http2.run() } }
                group.addTask { try await self.listen() }
                try await group.waitForAll()
            }
        } catch {
            if ledger.isStopped || Task.isCancelled { return }
            let problem = Self.problem(error, port: wantedPort)
            start.set(.failure(problem))
            throw problem
        }
    }

    private func listen() async throws {
        try await server.run { port in
            start.set(.success(UInt16(clamping: port)))
            await end.valueUnlessCancelled()
        }
    }

    private static func problem(_ error: any Error, port: UInt16) -> CaptureError {
        if let error = error as? HTTPServerError, error.isAddressInUse {
            return CaptureError(message: "port \(port) of 127.0.0.1 is in use: choose another with --port")
        }
        return CaptureError(message: "the capture server ended: \(error)")
    }

    /// The port of HTTP/2; nil if HTTP/2 is not configured.
    public var tlsPort: UInt16? { http2?.port }

    /// The port. Waits until the server listens.
    public var port: UInt16 {
        get async throws { try await start.value().get() }
    }

    /// Stops listening and closes open connections. The record stays.
    public func stop() async {
        ledger.markStopped()
        start.set(.failure(CaptureError(message: "the capture server is not listening")))
        await http2?.stop()
        end.set(())
    }

    // MARK: Use inside the process

    public var stats: CaptureStats { ledger.stats }

    /// Returns the last ``CaptureLimits/remembered`` requests, oldest first. With an id, returns only requests with that `webhook-id` or
    /// message id.
    public func requests(id: String? = nil) -> [CapturedRequest] {
        ledger.requests { id == nil || $0.webhookID == id || $0.messageID == id }
    }

    /// Sets the behaviour of a path and replaces the earlier one.
    public func program(_ behaviour: CaptureBehaviour) {
        ledger.program(behaviour)
    }
}

/// The settings of a ``CaptureServer``.
public struct CaptureConfiguration: Sendable {
    /// The port of HTTP/1.1; 0 takes a free port.
    public var port: UInt16
    /// A file for the record, one line of JSON for each request; nil keeps no record. The file's directory must exist.
    public var recordPath: String?
    /// Signing secrets (`whsec_…`) for paths that have none from the control interface.
    public var secrets: [String]
    /// The keys that sign provider tokens for APNs, by their ids: PEM, private or public. With at least one key, a token of another key or
    /// with a wrong signature is refused, as APNs does. Without keys, every signature is accepted.
    public var apnsKeys: [String: String]
    /// The settings of HTTP/2; nil listens for HTTP/1.1 only.
    public var tls: TLS?

    /// HTTP/2 over TLS.
    public struct TLS: Sendable {
        /// The port of HTTP/2; 0 takes a free port.
        public var port: UInt16
        /// The file for the certificate that clients must trust, as PEM. Every start makes a new certificate.
        public var certificatePath: String

        public init(port: UInt16 = 0, certificatePath: String) {
            self.port = port
            self.certificatePath = certificatePath
        }
    }

    public init(
        port: UInt16 = 0, recordPath: String? = nil, secrets: [String] = [], apnsKeys: [String: String] = [:], tls: TLS? = nil
    ) {
        self.port = port
        self.recordPath = recordPath
        self.secrets = secrets
        self.apnsKeys = apnsKeys
        self.tls = tls
    }
}

/// The reason why a capture server cannot work.
public struct CaptureError: Error, Sendable, Hashable, CustomStringConvertible {
    public var message: String
    public var description: String { message }
}
