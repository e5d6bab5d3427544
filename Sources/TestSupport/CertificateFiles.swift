import Foundation
import TidingsHTTP2Server

/// A self-signed certificate with its key, as two files.
public struct CertificateFiles: Sendable {
    public let certificate: String
    public let key: String

    /// Writes a new certificate. Files of the same name are replaced, the key first.
    public init(in folder: String, named name: String) throws {
        guard let made = SelfSignedCertificate() else { throw TestSystemError(message: "OpenSSL makes no certificate") }
        (certificate, key) = ("\(folder)/\(name).pem", "\(folder)/\(name).key")
        try made.keyPEM.write(toFile: key, atomically: true, encoding: .utf8)
        try made.pem.write(toFile: certificate, atomically: true, encoding: .utf8)
    }

    /// Runs `body` with a new folder.
    public static func withFolder(_ body: (String) async throws -> Void) async throws {
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
