import Foundation
import Testing
import TidingsCapture
import TidingsCore
import TidingsHTTP
import TidingsHTTP2
import TidingsProvider

@testable import ProviderAPNs

/// The provider against `tidings capture`, over HTTP/2 connections.
struct APNsCaptureTests {
    @Test(
        arguments: [
            ([:], APNsKeys.other, nil), (["ABC123DEFG": APNsKeys.main], APNsKeys.main, nil),
            (["XYZ123DEFG": APNsKeys.other, "ABC123DEFG": APNsKeys.main], APNsKeys.main, nil),
            (["ABC123DEFG": APNsKeys.main], APNsKeys.other, "InvalidProviderToken"),
            (["XYZ123DEFG": APNsKeys.main], APNsKeys.main, "InvalidProviderToken"),
        ] as [([String: String], String, String?)])
    func tokensAreCheckedWhereKeysAreGiven(_ keys: [String: String], _ key: String, _ refusal: String?) async throws {
        try await capturing(CaptureConfiguration(apnsKeys: keys)) { server, origin, authorities in
            let settings = APNsFixture.required.merging(["endpoint": origin, "certificateAuthorities": authorities]) { _, own in own }
            let provider = try APNsProviderFactory.make(binding: APNsFixture.binding(settings), environment: ["KEY": key])
            let result = await provider.send(.apnsOrder())
            await provider.close()
            #expect(result.detail == refusal && result.status == (refusal == nil ? 200 : 403))
            if refusal != nil { #expect(result.outcome == .misconfigured(.misconfigured)) }
            #expect(server.requests().count == 1)
        }
    }

    @Test func aKeyThatIsNoneIsSaid() {
        let error = #expect(throws: CaptureError.self) {
            try CaptureServer(configuration: CaptureConfiguration(apnsKeys: ["A": "hunter2"]))
        }
        #expect(error?.message.contains("key A") == true && error?.message.contains("hunter2") == false)
    }

    /// A body drips over HTTP/1.1 only. No test may mistake a whole body for a dripping one.
    @Test func nothingDripsOverHTTP2() async throws {
        try await capturing(CaptureConfiguration()) { server, origin, authorities in
            let transport = try HTTP2Transport.open(HTTP2Configuration(origin: origin, certificateAuthorityFile: authorities))
            server.program(CaptureBehaviour(path: "/3/device", drip: .milliseconds(1)))
            for path in ["/drip/1", "/3/device/0a"] {
                guard case .response(let response) = await transport.send(HTTP2Request(path: path)) else {
                    Issue.record("\(path) was not answered")
                    continue
                }
                #expect(response.status == 501 && String(decoding: response.body, as: UTF8.self).contains("HTTP/1.1 only"))
            }
            #expect(server.requests().map(\.status) == [501, 501])
            await transport.close()
        }
    }

    /// - Parameter body: gets the origin for HTTP/2, and the file with the certificate to trust.
    private func capturing(
        _ configuration: CaptureConfiguration, _ body: (CaptureServer, String, String) async throws -> Void
    ) async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("tidings-capture-\(UUID().uuidString).pem").path
        defer { try? FileManager.default.removeItem(atPath: file) }
        var configuration = configuration
        configuration.tls = CaptureConfiguration.TLS(certificatePath: file)
        let server = try CaptureServer(configuration: configuration)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            _ = try await server.port
            do {
                try await body(server, "https://127.0.0.1:\(try #require(server.tlsPort))", file)
                await server.stop()
                try await group.waitForAll()
            } catch {
                await server.stop()
                throw error
            }
        }
    }
}
