import Logging
import Synchronization
import TidingsCrypto
import TidingsHTTPServer
import TidingsPipeline
import TidingsServer
import TidingsTLS
import TidingsWaiting

/// The certificate of the API, from two files. A pair that has changed is followed within ``interval``. A pair that cannot be used never
/// replaces a good one.
final class CertificateWatch: Sendable {
    /// Between two looks at the files.
    static let interval = Duration.seconds(10)

    /// The stamp is a digest of both files. The private key itself is not kept.
    private let certificate: Reloaded<ServerCertificate, [UInt8]>
    private let reminder = Mutex(Reminder())
    private let logger: Logger

    /// Throws a ``TidingsTLS/CertificateError`` if the files cannot be used.
    init(_ files: APISettings.CertificateFiles, logger: Logger) throws {
        self.logger = logger
        // One of the two files may be written later than the other one, so a pair that cannot be used is tried again.
        certificate = Reloaded(
            every: Self.interval, retriesFailures: true, stamp: { CertificateWatch.digest(of: files) },
            make: { try ServerCertificate(chainFile: files.chain, keyFile: files.key) })
        _ = try certificate.current.get()
    }

    /// A session for a new connection. Nil for lack of memory.
    func session() -> (any TLSSession)? { (try? certificate.current.get())?.session() }

    /// Looks at the files from time to time, until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            // Time itself is awaited. Cancelled when the API stops.
            try? await Task.sleep(for: certificate.interval)
            if !Task.isCancelled { look() }
        }
    }

    private func look() {
        switch certificate.look() {
        case .same: break
        case .renewed:
            reminder.withLock { $0 = Reminder() }
            logger.notice("the certificate has changed")
        case .failed(let error):
            guard reminder.withLock({ $0.isDue() }) else { return }
            logger.error("the certificate cannot be used; the last good one stays", metadata: ["error": "\(error)"])
        }
    }

    private static func digest(of files: APISettings.CertificateFiles) -> [UInt8] {
        SHA256.hash((readBytes(files.chain) ?? []) + [0] + (readBytes(files.key) ?? []))
    }
}
