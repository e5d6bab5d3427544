import Testing
import TidingsTLS
import TidingsTestSupport

/// The certificate of a server, from two files.
@Suite struct ServerCertificateTests {
    @Test func aPairThatDoesNotFitIsRefused() async throws {
        try await CertificateFiles.withFolder { folder in
            let (one, two) = (try CertificateFiles(in: folder, named: "one"), try CertificateFiles(in: folder, named: "two"))
            for (chain, key) in [
                (one.certificate, two.key), (one.key, one.key), (one.certificate, one.certificate), ("\(folder)/none", one.key),
                (one.certificate, "\(folder)/none"),
            ] {
                #expect(throws: CertificateError.self, "\(chain) \(key)") { try ServerCertificate(chainFile: chain, keyFile: key) }
            }
            #expect(throws: Never.self) { try one.load() }
        }
    }
}

extension CertificateFiles {
    func load() throws -> ServerCertificate { try ServerCertificate(chainFile: certificate, keyFile: key) }
}
