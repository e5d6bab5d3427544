import Foundation
import Testing
import TidingsTestSupport

/// A secret that a catalogue names may be missing here and present where the roles run.
@Suite struct MissingSecretTests {
    private static func catalogue(_ settings: String) -> String {
        """
        types:
          news: {category: transactional, channels: [push]}
        markets:
          us: {push: [service]}
        defaultMarket: us
        providers:
          service: {channel: push, kind: http, addressing: person, settings: {\(settings)}}
        """
    }

    private func check(_ catalogue: String, _ options: String..., variables: [String: String] = [:]) async throws -> TestProcess.Result {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("tidings-\(UUID().uuidString).yaml").path
        try catalogue.write(toFile: path, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try await TestProcess([TestSystem.binary, "catalogue", "check", path] + options, environment: variables).finish()
    }

    @Test(arguments: [
        (#"url: "http://127.0.0.1:9/", authorization: "env:NOPE""#, "the environment variable NOPE is not set"),
        (#"url: "http://127.0.0.1:9/", authorization: "file:/no/such/file""#, "the file /no/such/file is missing"),
        ("", "must be set"),
    ])
    func aMissingSecretIsNotedAndRefusedWhenStrict(settings: String, message: String) async throws {
        let catalogue = Self.catalogue(settings)
        let lenient = try await check(catalogue)
        #expect(lenient.exitCode == 0 && lenient.errors.contains("note: here, provider service, ") && lenient.errors.contains(message))
        let strict = try await check(catalogue, "--strict")
        #expect(strict.exitCode == 65 && strict.errors.contains(message), "\(strict.errors)")
        #expect(strict.errors.contains("providers.service.settings."), "\(strict.errors)")
    }

    @Test func aPresentSecretIsNotNoted() async throws {
        let catalogue = Self.catalogue(#"url: "http://127.0.0.1:9/", authorization: "env:TOKEN""#)
        let result = try await check(catalogue, "--strict", variables: ["TOKEN": "Bearer abcdefgh"])
        #expect(result.exitCode == 0 && !result.errors.contains("note:"), "\(result.errors)")
    }

    /// These mistakes are wrong on every machine.
    @Test(arguments: [
        (#"url: "ftp://127.0.0.1/""#, "settings.url (line 7)"), (#"url: "http://127.0.0.1:9/", methd: PUT"#, "did you mean method?"),
        (#"url: "http://127.0.0.1:9/", authorization: "Bearer abcdefgh""#, "named, not written down"),
    ])
    func mistakesAreRefused(settings: String, message: String) async throws {
        let result = try await check(Self.catalogue(settings))
        #expect(result.exitCode == 65 && result.errors.contains(message), "\(result.errors)")
    }
}
