/// A certificate for the DNS name `localhost`, with its key and an authority of its own, valid for two days. The properties are paths of
/// PEM files.
///
/// A private broker listens on 127.0.0.1. The certificate does not name that address, so that a test can see a client refuse the broker.
public struct BrokerCertificate: Sendable, Equatable {
    public let authority: String
    public let certificate: String
    public let key: String

    /// Makes all three files with `openssl` in `folder`, which must exist. Each call makes a new authority, so certificates of two calls do
    /// not trust each other.
    public static func make(in folder: String) async throws(PrivateServersError) -> BrokerCertificate {
        try await OwnThread.run { () throws(PrivateServersError) in
            let folders = ToolFolders.ofThisMachine()
            let maker = Maker(folder: folder, openssl: try folders.command("openssl", package: "openssl"), wrappers: try .find(in: folders))
            return try maker.make()
        }
    }

    private struct Maker {
        let folder: String
        let openssl: String
        let wrappers: ChildCommand.Wrappers

        func make() throws(PrivateServersError) -> BrokerCertificate {
            let made = BrokerCertificate(
                authority: "\(folder)/authority.pem", certificate: "\(folder)/certificate.pem", key: "\(folder)/key.pem")
            let authorityKey = "\(folder)/authority-key.pem"
            try PrivateFile.write(Self.extensions, to: "\(folder)/openssl.cnf")
            try request("authority", ["-subj", "/CN=private authority", "-keyout", authorityKey, "-out", made.authority])
            try request(
                "server",
                [
                    "-subj", "/CN=localhost", "-CA", made.authority, "-CAkey", authorityKey, "-keyout", made.key, "-out", made.certificate,
                ])
            return made
        }

        private func request(_ extensions: String, _ arguments: [String]) throws(PrivateServersError) {
            let command = ChildCommand(
                executable: openssl,
                arguments: [
                    "req", "-x509", "-config", "\(folder)/openssl.cnf", "-extensions", extensions, "-newkey", "ec", "-pkeyopt",
                    "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                ] + arguments,
                environment: [:], wrappers: wrappers)
            try command.succeed(within: Self.limit)
        }

        /// The whole configuration of the request. `openssl` does not read the system's own openssl.cnf.
        private static let extensions = """
            [req]
            distinguished_name = name
            [name]
            [authority]
            basicConstraints = critical, CA:TRUE
            keyUsage = critical, keyCertSign
            [server]
            basicConstraints = CA:FALSE
            subjectAltName = DNS:localhost

            """

        /// The work takes milliseconds, but many times that while compilers run.
        private static let limit = Duration.seconds(30)
    }
}

/// The TLS listener of a private node. Clients need no certificate.
struct TLSListener: Sendable {
    let port: UInt16
    let certificate: BrokerCertificate

    /// The listener's lines in `rabbitmq.conf`.
    var configuration: String {
        """
        listeners.ssl.1 = 127.0.0.1:\(port)
        ssl_options.cacertfile = \(certificate.authority)
        ssl_options.certfile = \(certificate.certificate)
        ssl_options.keyfile = \(certificate.key)
        ssl_options.verify = verify_none
        ssl_options.fail_if_no_peer_cert = false
        """
    }
}
