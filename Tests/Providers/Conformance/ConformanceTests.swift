import Foundation
import Testing
import TidingsTestSupport

/// Every provider of this package holds what every provider must.
@Suite struct ConformanceTests {
    @Test func apnsConforms() async throws {
        let problems = try await ProviderConformance.problems(of: APNsSubject())
        #expect(problems.isEmpty, "\(problems)")
    }

    @Test func fcmConforms() async throws {
        let problems = try await ProviderConformance.problems(of: FCMSubject(key: try rsaKey()))
        #expect(problems.isEmpty, "\(problems)")
    }

    @Test func brazeConforms() async throws {
        let problems = try await ProviderConformance.problems(of: BrazeSubject())
        #expect(problems.isEmpty, "\(problems)")
    }

    @Test func airshipConforms() async throws {
        let problems = try await ProviderConformance.problems(of: AirshipSubject())
        #expect(problems.isEmpty, "\(problems)")
    }

    @Test func httpConforms() async throws {
        let problems = try await ProviderConformance.problems(of: HTTPSubject())
        #expect(problems.isEmpty, "\(problems)")
    }

    @Test func webPushConforms() async throws {
        let problems = try await ProviderConformance.problems(of: WebPushSubject())
        #expect(problems.isEmpty, "\(problems)")
    }

    @Test func webhookConforms() async throws {
        let problems = try await ProviderConformance.problems(of: WebhookSubject())
        #expect(problems.isEmpty, "\(problems)")
    }
}

/// A key that opens nothing, from the program that every machine with Tidings has.
func rsaKey() throws -> String {
    let openssl = Process()
    let output = Pipe()
    openssl.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
    openssl.arguments = ["genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"]
    openssl.standardOutput = output
    openssl.standardError = FileHandle.nullDevice
    try openssl.run()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    openssl.waitUntilExit()
    return String(decoding: text, as: UTF8.self)
}
