import Testing
import TidingsTestSupport
import TidingsWire

/// `tidings config show`: every setting with its value, every bound with unit and reason, and no secret.
@Suite struct ConfigTests {
    private static let environment = [
        "TIDINGS_AMQP_URL": "amqp://worker:hunter2@broker:5672/shop", "TIDINGS_DATABASE_URL": "postgres://worker:hunter3@database/shop",
        "TIDINGS_WEBHOOK_SIGNING_SECRET": "whsec_hunter4", "TIDINGS_WEBHOOK_TIMEOUT_SECONDS": "12", "PATH": "/usr/bin:/bin",
    ]

    @Test(arguments: ["text", "json", "jsonl"])
    func noSecretIsShown(format: String) async throws {
        let result = try await CommandLineTests.run(["config", "show", "-o", format], Self.environment)
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(result.output.contains("worker:***@broker") && result.output.contains("worker@database"), "\(result.output)")
        #expect(!result.output.contains("hunter") && !result.errors.contains("hunter"))
        let broken = Self.environment.merging(["TIDINGS_AMQP_URL": "amqp//worker:hunter2@broker"]) { $1 }
        let unreadable = try await CommandLineTests.run(["config", "show", "-o", format], broken)
        #expect(unreadable.exitCode == 0 && unreadable.output.contains("(unreadable)") && !unreadable.output.contains("hunter"))
    }

    @Test func settingsSayWhatHolds() async throws {
        let result = try await CommandLineTests.run(["config", "show", "-o", "json"], Self.environment)
        let shown = try JSON.parse(Array(result.output.utf8))
        func setting(_ name: String) -> JSON? { shown["settings"]?.arrayValue?.first { $0["name"]?.stringValue == name } }
        #expect(setting("TIDINGS_WEBHOOK_TIMEOUT_SECONDS")?["value"]?.stringValue == "12")
        #expect(setting("TIDINGS_WEBHOOK_TIMEOUT_SECONDS")?["set"]?.boolValue == true)
        #expect(setting("TIDINGS_WEBHOOK_CONNECT_TIMEOUT_SECONDS")?["value"]?.stringValue == "5")
        #expect(setting("TIDINGS_LOG")?["value"]?.stringValue == "notice")
        #expect(setting("TIDINGS_LOG")?["set"]?.boolValue == false)
        for bound in try #require(shown["bounds"]?.arrayValue) {
            #expect(bound["why"]?.stringValue?.hasSuffix(".") == true, "\(bound)")
            #expect(bound["value"]?.intValue ?? 0 > 0 && bound["unit"]?.stringValue?.isEmpty == false, "\(bound)")
        }
        let names = shown["bounds"]?.arrayValue?.compactMap { $0["name"]?.stringValue } ?? []
        #expect(names.count > 70 && Set(names).count == names.count)
    }
}
