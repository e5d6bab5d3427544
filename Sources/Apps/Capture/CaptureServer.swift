import FlyingFox
import FlyingSocks
import Foundation
import TidingsCore

/// A stand-in for webhook receivers and push providers, on plain HTTP/1.1 and, when asked, on HTTP/2 over TLS: it records what arrives, checks
/// it, and misbehaves on request.
///
/// What a request gets is decided by a ``CaptureBehaviour`` that was set for its path, else by the path itself: see
/// ``CaptureBehaviour/named(by:)``. Every request is written to the record before it is answered, so the record never knows less than a
/// sender does. Below `/_capture/` lies the control interface, see `CaptureControl`; it has no protection, which is why only loopback is
/// listened on.
public final class CaptureServer: Sendable {
    private let server: HTTPServer
    private let http2: CaptureHTTP2?
    private let ledger: CaptureLedger
    private let wantedPort: UInt16

    /// Opens the record, without answering yet.
    public init(configuration: CaptureConfiguration = CaptureConfiguration()) throws(CaptureError) {
        let ledger = try CaptureLedger(configuration: configuration)
        let address: sockaddr_in
        do {
            address = try .inet(ip4: "127.0.0.1", port: configuration.port)
        } catch {
            throw CaptureError(message: "127.0.0.1 is not an address here: \(error)")
        }
        // The server's own limit comes after every hold of ours, which therefore always ends as it was meant to.
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

    /// Listens and answers until ``stop()`` or until the task is cancelled.
    public func run() async throws {
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                // A task for each protocol; both end with ``stop()``, and one that fails ends the other.
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

    /// The port of HTTP/2; nil when it was not asked for.
    public var tlsPort: UInt16? { http2?.port }

    /// The port, waiting until it is listened on.
    public var port: UInt16 {
        get async throws {
            try await server.waitUntilListening()
            guard case .ip4(_, let port)? = await server.listeningAddress else {
                throw CaptureError(message: "the capture server is not listening")
            }
            return port
        }
    }

    /// Stops listening and drops open connections; the record stays.
    public func stop() async {
        ledger.markStopped()
        await http2?.stop()
        await server.stop()
    }

    // MARK: From inside the process

    public var stats: CaptureStats { ledger.stats }

    /// The last ``CaptureLimits/remembered`` requests, oldest first; with an id, those of that `webhook-id` or message.
    public func requests(id: String? = nil) -> [CapturedRequest] {
        ledger.requests { id == nil || $0.webhookID == id || $0.messageID == id }
    }

    /// Sets the behaviour for its path, replacing the one it had.
    public func program(_ behaviour: CaptureBehaviour) {
        ledger.program(behaviour)
    }
}

/// What a ``CaptureServer`` starts with.
public struct CaptureConfiguration: Sendable {
    /// 0 takes a free one.
    public var port: UInt16
    /// A file to append one line of JSON to for each request; nil keeps none. Its directory must exist.
    public var recordPath: String?
    /// Signing secrets (`whsec_…`) of paths for which none were set over the control interface.
    public var secrets: [String]
    /// Keys that push providers sign their tokens for APNs with, private or public, as PEM, by their ids. With any, a token of another key or
    /// with another signature is refused, as APNs does; without, every signature is taken.
    public var apnsKeys: [String: String]
    /// Nil listens for HTTP/1.1 only.
    public var tls: TLS?

    /// HTTP/2 over TLS.
    public struct TLS: Sendable {
        /// 0 takes a free one.
        public var port: UInt16
        /// Where the certificate is written that clients must trust, as PEM. A new one with every start.
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

/// Why a capture server cannot work.
public struct CaptureError: Error, Sendable, Hashable, CustomStringConvertible {
    public var message: String
    public var description: String { message }
}
