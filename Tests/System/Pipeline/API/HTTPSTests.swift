import Foundation
import Glibc
import Testing
import TidingsHTTP
import TidingsTestSupport

/// The API with a certificate of its own.
@Suite struct HTTPSTests {
    private static func status(_ port: String, trusting certificate: String) async throws -> Int? {
        let client = try HTTPTransport.open(HTTPConfiguration(certificateAuthorityFile: certificate))
        let everywhere = AddressGuard(allowedPorts: nil, allowedNetworks: CIDR.everything)
        let request = HTTPRequest(
            method: "GET", url: "https://127.0.0.1:\(port)/openapi.yaml", totalTimeout: .seconds(10).patient, maximumResponseBytes: 1 << 20,
            guarding: everywhere)
        guard case .response(let response) = await client.send(request) else { return nil }
        #expect(response.header("strict-transport-security") == "max-age=31536000")
        return response.status
    }

    /// With a certificate, other machines may reach the address. A renewed certificate needs no restart, and a broken one does no harm.
    @Test func aRenewedCertificateIsFollowed() async throws {
        try await CertificateFiles.withFolder { folder in
            try await withOwnSystem { system in
                let files = try CertificateFiles(in: folder, named: "api")
                // The client trusts a certificate by a copy.
                let first = "\(folder)/first.pem"
                try FileManager.default.copyItem(atPath: files.certificate, toPath: first)
                let api = try system.start(
                    "run", "api",
                    with: [
                        "TIDINGS_API_LISTEN": "0.0.0.0:0", "TIDINGS_API_TLS_CERTIFICATE": files.certificate,
                        "TIDINGS_API_TLS_KEY": files.key, "TIDINGS_API_STOP_DELAY": "0s",
                    ])
                let listens = try await api.says(/the API listens[^\n]*\n/)
                try #require(listens, "\(api.errorsSoFar)")
                let start = try #require(api.errorsSoFar.firstRange(of: "address=https://0.0.0.0:"), "\(api.errorsSoFar)")
                let port = String(api.errorsSoFar[start.upperBound...].prefix { $0.isNumber })
                #expect(try await Self.status(port, trusting: first) == 200)

                try "no key".write(toFile: files.key, atomically: true, encoding: .utf8)
                let isTold = try await api.says("the last good one stays")
                #expect(isTold)
                #expect(try await Self.status(port, trusting: first) == 200)

                let renewed = try CertificateFiles(in: folder, named: "api")
                let isFollowed = try await eventually { try await Self.status(port, trusting: renewed.certificate) == 200 }
                #expect(isFollowed, "\(api.errorsSoFar)")
                #expect(try await Self.status(port, trusting: first) == nil)
                api.signal(SIGTERM)
                #expect(await api.finish().exitCode == 0)
            }
        }
    }
}
