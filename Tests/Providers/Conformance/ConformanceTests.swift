import Foundation
import Testing
import TidingsTestSupport

/// Checks every provider of this package against the rules for all providers.
@Suite struct ConformanceTests {
    @Test func apnsConforms() async throws {
        let problems = try await ProviderConformance.problems(of: APNsSubject())
        #expect(problems.isEmpty, "\(problems)")
    }

    @Test func fcmConforms() async throws {
        let problems = try await ProviderConformance.problems(of: FCMSubject(key: try await rsaKey()))
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

/// A key that no service accepts, made by the openssl command.
func rsaKey() async throws -> String {
    let arguments = ["genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"]
    let result = try await TestProcess(["/usr/bin/openssl"] + arguments, environment: [:]).finish()
    return result.output
}
