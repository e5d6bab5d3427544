import Foundation
import Testing
import TidingsHTTP2Server
import TidingsTLS

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

/// A self-signed certificate with its key, as files of a folder.
struct CertificateFiles {
    let certificate: String
    let key: String

    init(in folder: String, named name: String) throws {
        let made = try #require(SelfSignedCertificate())
        (certificate, key) = ("\(folder)/\(name).pem", "\(folder)/\(name).key")
        try made.pem.write(toFile: certificate, atomically: true, encoding: .utf8)
        try made.keyPEM.write(toFile: key, atomically: true, encoding: .utf8)
    }

    func load() throws -> ServerCertificate { try ServerCertificate(chainFile: certificate, keyFile: key) }

    /// Runs `body` with a new folder.
    static func withFolder(_ body: (String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tidings-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        do {
            try await body(folder)
        } catch {
            try? FileManager.default.removeItem(atPath: folder)
            throw error
        }
        try FileManager.default.removeItem(atPath: folder)
    }
}
