import FlyingFox
import FlyingSocks
import Foundation
import TidingsCore

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

    /// Opens the record. The server does not answer yet.
    public init(configuration: CaptureConfiguration = CaptureConfiguration()) throws(CaptureError) {
        let ledger = try CaptureLedger(configuration: configuration)
        let address: sockaddr_in
        do {
            address = try .inet(ip4: "127.0.0.1", port: configuration.port)
        } catch {
            throw CaptureError(message: "127.0.0.1 is not an address here: \(error)")
        }
        // The server's own timeout is longer than every hold of a behaviour, so a hold always ends as intended.
        let timeout = (CaptureLimits.longestHold + .seconds(10)) / .seconds(1)
        let standIns: [any StandIn] = [
            try APNsStandIn(pems: configuration.apnsKeys), AirshipStandIn(), BrazeStandIn(), FCMStandIn(), WebPushStandIn(),
        ]
        let responder = CaptureResponder(ledger: ledger, standIns: standIns)
        self.ledger = ledger
        wantedPort = configuration.port
        server = HTTPServer(address: address, timeout: timeout, logger: .disabled, handler: CaptureHandler(responder: responder))
        if let tls = configuration.tls {
            http2 = try CaptureHTTP2(tls, responder: responder)
        } else {
            http2 = nil
        }
    }

    /// Listens and answers until ``stop()`` is called or the task is cancelled.
    public func run() async throws {
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                // One task for each protocol. Both end with ``stop()``; if one fails, the group cancels the second.
                if let http2 { group.addTask { await http2.run() } }
                group.addTask { try await self.server.run() }
                try await group.waitForAll()
            }
        } catch {
            if ledger.isStopped || Task.isCancelled { return }
            if "\(error)".contains(String(cString: strerror(EADDRINUSE))) {
                throw CaptureError(message: "port \(wantedPort) of 127.0.0.1 is in use: choose another with --port")
            }
            throw CaptureError(message: "the capture server ended: \(error)")
        }
    }

    /// The port of HTTP/2; nil if HTTP/2 is not configured.
    public var tlsPort: UInt16? { http2?.port }

    /// The port. Waits until the server listens.
    public var port: UInt16 {
        get async throws {
            try await server.waitUntilListening()
            guard case .ip4(_, let port)? = await server.listeningAddress else {
                throw CaptureError(message: "the capture server is not listening")
            }
            return port
        }
    }

    /// Stops listening and closes open connections. The record stays.
    public func stop() async {
        ledger.markStopped()
        await http2?.stop()
        await server.stop()
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
