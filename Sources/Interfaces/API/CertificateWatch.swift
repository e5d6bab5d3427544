import Logging
import Synchronization
import TidingsCrypto
import TidingsHTTPServer
import TidingsPipeline
import TidingsServer
import TidingsTLS

/// The certificate of the API, from two files. A pair that has changed is followed within ``interval``. A pair that cannot be used never
/// replaces a good one.
final class CertificateWatch: Sendable {
    /// Between two looks at the files.
    static let interval = Duration.seconds(10)

    private struct State {
        var certificate: ServerCertificate
        /// Of both files. The private key itself is not kept.
        var digest: [UInt8]
        var reminder = Reminder()
    }

    private let files: APISettings.CertificateFiles
    private let logger: Logger
    private let state: Mutex<State>

    /// Throws a ``TidingsTLS/CertificateError`` if the files cannot be used.
    init(_ files: APISettings.CertificateFiles, logger: Logger) throws {
        self.files = files
        self.logger = logger
        // Before the files are used: the next look sees a change of this moment.
        let digest = Self.digest(of: files)
        state = Mutex(State(certificate: try ServerCertificate(chainFile: files.chain, keyFile: files.key), digest: digest))
    }

    /// A session for a new connection. Nil for lack of memory.
    func session() -> (any TLSSession)? { state.withLock { $0.certificate }.session() }

    /// Looks at the files from time to time, until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            // Time itself is awaited. Cancelled when the API stops.
            try? await Task.sleep(for: Self.interval)
            if !Task.isCancelled { look() }
        }
    }

    func look() {
        let digest = Self.digest(of: files)
        guard state.withLock({ $0.digest != digest }) else { return }
        do {
            let certificate = try ServerCertificate(chainFile: files.chain, keyFile: files.key)
            state.withLock { $0 = State(certificate: certificate, digest: digest) }
            logger.notice("the certificate has changed")
        } catch {
            // One of the two files may be written later than the other one.
            guard state.withLock({ $0.reminder.isDue() }) else { return }
            logger.error("the certificate cannot be used; the last good one stays", metadata: ["error": "\(error)"])
        }
    }

    private static func digest(of files: APISettings.CertificateFiles) -> [UInt8] {
        SHA256.hash((readBytes(files.chain) ?? []) + [0] + (readBytes(files.key) ?? []))
    }
}
