import Testing
import TidingsJSON
import TidingsTestSupport

/// `tidings config show` prints every setting with its value, every bound with its unit and reason, and no secret.
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

    /// The credentials of every provider of this binary: each setting that a provider declares as a secret.
    @Test(arguments: ["text", "json", "jsonl"])
    func noCredentialOfAProviderIsShown(format: String) async throws {
        let listed = try JSON.parse(Array(try await CommandLineTests.run(["config", "show", "-o", "json"], [:]).output.utf8))
        let settings = try #require(listed["settings"]?.arrayValue)
        let secrets = settings.filter { $0["secret"]?.boolValue == true }.compactMap { $0["name"]?.stringValue }
        let known = [
            "APNS_KEY", "BRAZE_API_KEY", "FCM_SERVICE_ACCOUNT", "WEBPUSH_VAPID_PRIVATE_KEY", "AIRSHIP_APP_KEY", "AIRSHIP_MASTER_SECRET",
            "AIRSHIP_TOKEN", "HTTP_AUTHORIZATION", "HTTP_HEADERS", "HTTP_CALLBACK_SECRET", "WEBHOOK_SIGNING_SECRET",
            "API_TLS_KEY",
        ].map { "TIDINGS_\($0)" }
        #expect(Set(secrets) == Set(known))
        // A setting whose name speaks of a credential is declared as a secret, or is an id or a time. The rule also holds for new providers.
        for name in settings.compactMap({ $0["name"]?.stringValue }) where !secrets.contains(name) {
            let words = name.split(separator: "_")
            if ["ID", "LIFETIME"].contains(words.last) { continue }
            #expect(!["SECRET", "PASSWORD", "TOKEN", "KEY", "CREDENTIAL"].contains { words.contains($0) }, "\(name)")
        }
        for value in ["hunter5", "env:NAME hunter5", "file:/a\nhunter5", "https://hunter5@host/"] {
            let environment = Dictionary(uniqueKeysWithValues: secrets.map { ($0, value) })
            let result = try await CommandLineTests.run(["config", "show", "-o", format], environment)
            #expect(result.exitCode == 0 && !result.output.contains("hunter5") && !result.errors.contains("hunter5"), "\(result.output)")
        }
        // The name of a variable or a file is no secret, and tells where to look.
        let named = try await CommandLineTests.run(["config", "show", "-o", format], ["TIDINGS_APNS_KEY": "file:/run/apns.p8"])
        #expect(named.output.contains("file:/run/apns.p8"))
        let address = try await CommandLineTests.run(
            ["config", "show", "-o", format],
            ["TIDINGS_HTTP_URL": "https://user:hunter5@host/a", "TIDINGS_BRAZE_ENDPOINT": "https://hunter5@b"])
        #expect(address.output.contains("https://***@host/a") && !address.output.contains("hunter5"), "\(address.output)")
    }

    /// A process reads its settings before it says that it runs.
    @Test(arguments: [
        (["TIDINGS_API_LISTEN": "nowhere"], "TIDINGS_API_LISTEN: nowhere"), (["TIDINGS_METRICS_LISTEN": "nowhere"], "nowhere"),
        (["TIDINGS_API_JWKS": "/no/such/keys"], "TIDINGS_API_ISSUER is not set"),
        (
            ["TIDINGS_API_JWKS": "/no/such/keys", "TIDINGS_API_ISSUER": "i", "TIDINGS_API_AUDIENCE": "a"],
            "/no/such/keys cannot be used"
        ),
        (
            [
                "TIDINGS_API_JWKS": "https://user:hunter2@login.test/keys", "TIDINGS_API_ISSUER": "i", "TIDINGS_API_AUDIENCE": "a",
            ], "https://***@login.test/keys cannot be used: the address carries user information"
        ),
        (["TIDINGS_API_ALGORITHMS": "none"], "none is no algorithm"),
        (["TIDINGS_API_TOKEN_LIFETIME": "60"], "TIDINGS_API_TOKEN_LIFETIME: 60"), (["TIDINGS_API_TENANTS": "acme,a/b"], "a/b is no tenant"),
        (["TIDINGS_API_LISTEN": "0.0.0.0:0"], "other machines reach 0.0.0.0:0"),
        (["TIDINGS_API_LISTEN": "[::]:0"], "other machines reach [::]:0"),
        (["TIDINGS_API_TLS_CERTIFICATE": "/no/such/file"], "TIDINGS_API_TLS_KEY is not set"),
        (["TIDINGS_API_TLS_KEY": "/no/such/key"], "TIDINGS_API_TLS_CERTIFICATE is not set"),
        (["TIDINGS_API_TLS_CERTIFICATE": "/no/such/file", "TIDINGS_API_TLS_KEY": "/no/such/key"], "/no/such/file has no certificate"),
        (["TIDINGS_API_PROXIES": "10.0.0.1/8"], "TIDINGS_API_PROXIES: 10.0.0.1/8"),
        (["TIDINGS_API_CONNECTIONS": "0"], "TIDINGS_API_CONNECTIONS: 0"),
        (["TIDINGS_API_STOP_DELAY": "5"], "TIDINGS_API_STOP_DELAY: 5"), (["TIDINGS_API_STOP_DELAY": "11s"], "no time up to 10s"),
    ])
    func aProcessWithWrongSettingsNeverRuns(variables: [String: String], said: String) async throws {
        try await withOwnSystem { system in
            let environment = ["TIDINGS_API_LISTEN": "127.0.0.1:0"].merging(system.environment) { $1 }.merging(variables) { $1 }
            for role in ["api", "all"] {
                let result = try await CommandLineTests.run(["run", role], environment)
                #expect(result.exitCode == 78 && result.errors.contains(said), "\(result.errors)")
                #expect(!result.errors.contains(": running"), "\(result.errors)")
            }
        }
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
