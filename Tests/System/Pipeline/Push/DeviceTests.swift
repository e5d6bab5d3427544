import Testing
import TidingsJSON
import TidingsPostgres
import TidingsTestSupport

/// Devices as the server of an app registers them.
@Suite struct DeviceTests {
    @Test func aTokenIsEnoughAndRegisteringAgainChangesNothing() async throws {
        try await withOwnSystem { system in
            let first = try await system.register("ann", "ABCDEF01")
            #expect(first["platform"] == "ios" && first["provider"] == "apns" && first["environment"] == "production")
            #expect(first["permission"] == "authorized" && first["market"]?.isNull == true && first["state"] == "active")
            let again = try await system.register("ann", "ABCDEF01", "--permission", "denied", "--locale", "es-MX")
            #expect(again["device_id"] == first["device_id"] && again["permission"] == "denied" && again["locale"] == "es-MX")
            let once = try await system.register("ann", "ABCDEF01")
            #expect(once["permission"] == "denied" && once["locale"] == "es-MX", "what is not told stays")
            #expect(try await system.count("select count(*) from tidings_ops.devices") == 1)
        }
    }

    @Test func aTokenThatSomebodyElseHasMoves() async throws {
        try await withOwnSystem { system in
            let before = try await system.register("ann", "5A11ED0C")
            let result = try await system.tidings("device", "register", "bob", "5a11ed0c", "-o", "json")
            #expect(result.errors.contains("was ann's"))
            let after = try JSON.parse(result.output)
            #expect(after["device_id"] == before["device_id"] && after["recipient_id"] == "bob")
            #expect(try await system.tidings("device", "list", "ann", "-o", "json").output == "[]\n")
            #expect(try await system.count("select count(*) from tidings_ops.devices") == 1)
        }
    }

    /// Many processes may register one token at the same time, in two spellings and for several people. The result is one device of one of
    /// them.
    @Test func registeringAtOnceMakesOneDevice() async throws {
        try await withOwnSystem { system in
            try await withThrowingTaskGroup(of: Int32.self) { group in
                for number in 0..<8 {
                    let token = number % 3 == 0 ? "01E70C3A" : "01e70c3a"
                    group.addTask { try await system.tidings("device", "register", "person-\(number % 2)", token).exitCode }
                }
                for try await exitCode in group { #expect(exitCode == 0) }
            }
            #expect(try await system.count("select count(*) from tidings_ops.devices where state = 'active'") == 1)
        }
    }

    @Test func updatingAndRemovingNameTheDevice() async throws {
        try await withOwnSystem { system in
            let id = try #require(try await system.register("ann", "01d70c3a")["device_id"]?.stringValue)
            let changed = try await system.tidings(
                "device", "update", id, "--token", "2EE70C3A", "--permission", "provisional", "-o", "json")
            let row = try JSON.parse(changed.output)
            #expect(row["device_id"]?.stringValue == id && row["token_end"] == "2ee70c3a" && row["permission"] == "provisional")
            #expect(try await system.register("ann", "2ee70c3a")["device_id"]?.stringValue == id)

            #expect(try await system.tidings("device", "remove", id).exitCode == 0)
            let gone = try await system.count("select count(*) from tidings_ops.devices where reason_code = 'unregistered'")
            #expect(gone == 1)
            #expect(try await system.tidings("device", "remove", id).errors.contains("gone already"))
            #expect(try await system.register("ann", "2ee70c3a")["state"] == "active")
            let unknown = try await system.tidings("device", "update", "nobody", "--locale", "de")
            #expect(unknown.exitCode == 1 && unknown.errors.contains("no device nobody"))
        }
    }

    /// The limit retires the device that was registered the longest ago, and reports it.
    @Test func aPersonHasAtMostTwentyDevices() async throws {
        try await withOwnSystem { system in
            for number in 1...21 { _ = try await system.register("collector", "70ce\(1_000 + number)") }
            let retired = try await system.query("select token_end, reason_code from tidings_ops.devices where state = 'gone'").rows.map {
                let (token, reason) = try $0.decode((String, String).self)
                return "\(token) \(reason)"
            }
            #expect(retired == ["70ce1001 deviceLimit"])
            #expect(try await system.count("select count(*) from tidings_ops.devices where state = 'active'") == 20)
        }
    }

    @Test(arguments: [
        (["--market", "atlantis"], "unknown market"), (["--permission", "maybe"], "permission"),
        (["--provider", "a b"], "no name of a provider"), (["--provider", "apn"], "did you mean apns?"),
    ])
    func aWrongOptionIsNamed(_ options: [String], _ words: String) async throws {
        try await withOwnSystem { system in
            let result = try await TestProcess(
                [TestSystem.binary, "device", "register", "ann", "0a1b"] + options, environment: system.environment
            ).finish()
            #expect([64, 65].contains(result.exitCode) && result.errors.contains(words), "\(result.errors)")
        }
    }

    /// Routing compares names exactly, so the stored name is that of the kind.
    @Test func theCaseOfAProviderDoesNotCount() async throws {
        try await withOwnSystem { system in
            let first = try await system.register("ann", "0A1B", "--provider", "APNs")
            #expect(first["provider"] == "apns" && first["token_end"] == "0a1b")
            let again = try await system.register("ann", "0a1b", "--provider", "Apns")
            #expect(again["device_id"] == first["device_id"] && again["provider"] == "apns")
            let refused = try await system.tidings("device", "register", "ann", "two", "--provider", "APNS")
            #expect(refused.exitCode == 65 && refused.errors.contains("two hexadecimal digits"), "\(refused.errors)")
            let unknown = try await system.tidings("device", "register", "ann", "a-token", "--provider", "in-house", "-o", "json")
            #expect(unknown.exitCode == 0 && unknown.errors.contains("has no provider in-house"), "\(unknown.errors)")
        }
    }

    /// Each provider reads its own tokens. The issuer is named, or that of the known device, or that of the platform.
    @Test func aTokenThatCannotWorkIsRefused() async throws {
        try await withOwnSystem { system in
            for (arguments, words) in [
                (["two words"], "two hexadecimal digits"), (["{length=32,bytes=0x740f4707}"], "two hexadecimal digits"),
                ([String(repeating: "0", count: 402)], "1 to 200 bytes"), (["cXyZ:APA91b"], "two hexadecimal digits"),
                (["two words", "--platform", "android"], "printable ASCII"),
                (["ExponentPushToken[xxxx]", "--platform", "android"], "a character other than letters"),
                (["undefined", "--platform", "android"], "a missing value"),
                ([String(repeating: "0a1b", count: 16), "--platform", "android"], "a token of APNs"),
                (["0a1b", "--platform", "web"], "not a browser's push subscription"),
                ([Self.subscription(point: Self.secret, secret: Self.point), "--provider", "webpush"], "are swapped"),
                (["two words", "--provider", "in-house"], "printable ASCII"),
            ] {
                let refused = try await system.tidings(arguments: ["device", "register", "ann"] + arguments)
                #expect(refused.exitCode == 65 && refused.errors.contains(words), "\(arguments): \(refused.errors)")
            }
            #expect(try await system.count("select count(*) from tidings_ops.devices") == 0)

            let phone = try #require(try await system.register("ann", "cXyZ:APA91b", "--platform", "android")["device_id"]?.stringValue)
            #expect(try await system.register("ann", "cXyZ:APA91b")["device_id"]?.stringValue == phone, "the issuer is known")
            let apple = try #require(try await system.register("ann", "0A1B")["device_id"]?.stringValue)
            for (change, words) in [
                ([apple, "--token", "nope"], "two hexadecimal digits"), ([apple, "--provider", "webpush"], "not a browser's"),
                ([phone, "--provider", "apns"], "two hexadecimal digits"),
            ] {
                let refused = try await system.tidings(arguments: ["device", "update"] + change)
                #expect(refused.exitCode == 65 && refused.errors.contains(words), "\(change): \(refused.errors)")
            }
            #expect(try await system.tidings("device", "update", apple, "--provider", "fcm", "--platform", "android").exitCode == 0)
        }
    }

    /// A script passes the value of a variable that is not set. `none` is the word that removes a value.
    @Test func anEmptyOptionCountsAsAbsent() async throws {
        try await withOwnSystem { system in
            let empty = ["--provider", "", "--market", "", "--time-zone", "", "--locale", "", "--app-version", ""]
            let registered = try await system.tidings(arguments: ["device", "register", "ann", "0a1b", "-o", "json"] + empty)
            let row = try JSON.parse(registered.output)
            #expect(registered.exitCode == 0 && row["provider"] == "apns" && row["market"]?.isNull == true, "\(registered.errors)")
            #expect(!registered.errors.contains("left out"), "\(registered.errors)")
            let id = try #require(row["device_id"]?.stringValue)
            let set = try await system.tidings("device", "update", id, "--market", "default", "-o", "json")
            #expect(try JSON.parse(set.output)["market"] == "default", "\(set.errors)")
            let same = try await system.tidings(arguments: ["device", "update", id, "-o", "json"] + empty)
            #expect(try JSON.parse(same.output)["market"] == "default", "\(same.errors)")
            let removed = try await system.tidings("device", "update", id, "--market", "none", "-o", "json")
            #expect(try JSON.parse(removed.output)["market"]?.isNull == true, "\(removed.errors)")
            #expect(try await system.tidings("device", "update", id, "--token", "").exitCode == 65)

            let nothing = try await system.tidings("recipient", "set", "ann", "--market", "", "--time-zone", "")
            #expect(nothing.exitCode == 0 && nothing.errors.contains("nothing to change"), "\(nothing.errors)")
            let zone = try await system.tidings("recipient", "set", "ann", "--time-zone", "Europe/Paris", "--market", "")
            #expect(zone.exitCode == 0 && zone.errors.contains("stored for ann: time zone"), "\(zone.errors)")
            let other = try await system.tidings("recipient", "set", "ann", "--market", "default", "--time-zone", "")
            #expect(other.exitCode == 0, "\(other.errors)")
            let shown = try JSON.parse(try await system.tidings("recipient", "show", "ann", "-o", "json").output)
            #expect(shown["time_zone"] == "Europe/Paris" && shown["market"] == "default", "\(shown)")
            let simulated = try await system.tidings("simulate", "orderUpdate", "--to", "ann", "--market", "")
            #expect(simulated.exitCode == 0, "\(simulated.errors)")
        }
    }

    /// Context that cannot be used is left out with a note. It is refused only by a change of nothing else.
    @Test func contextNeverRefusesARegistration() async throws {
        try await withOwnSystem { system in
            let odd = ["--time-zone", "GMT+0530", "--locale", "klingon", "--app-version", String(repeating: "9", count: 200)]
            let result = try await system.tidings(arguments: ["device", "register", "ann", "0a1b", "-o", "json"] + odd)
            let row = try JSON.parse(result.output)
            #expect(result.exitCode == 0, "\(result.errors)")
            #expect(row["time_zone"]?.isNull == true && row["locale"]?.isNull == true && row["app_version"]?.isNull == true)
            for words in ["unknown time zone GMT+0530", "klingon is no language tag", "--app-version is longer"] {
                #expect(result.errors.contains("note: left out: ") && result.errors.contains(words), "\(result.errors)")
            }
            let id = try #require(row["device_id"]?.stringValue)
            let alone = try await system.tidings("device", "update", id, "--time-zone", "GMT+0530")
            #expect(alone.exitCode == 65 && alone.errors.contains("unknown time zone GMT+0530"))
            let beside = try await system.tidings("device", "update", id, "--time-zone", "GMT+0530", "--permission", "denied", "-o", "json")
            #expect(try JSON.parse(beside.output)["permission"] == "denied", "\(beside.errors)")
            let usual = try await system.register("ann", "0a1b", "--time-zone", "GMT+0500", "--locale", "en_US@rg=gbzzzz")
            #expect(usual["time_zone"] == "Etc/GMT-5" && usual["locale"] == "en-US-u-rg-gbzzzz")
        }
    }

    private static let point = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
    private static let secret = "BTBZMqHH6r4Tts7J_aSIgg"

    private static func subscription(
        _ endpoint: String = "https://push.test/w/gAAA", point: String = point, secret: String = secret
    ) -> String {
        #"{"endpoint":"\#(endpoint)","expirationTime":null,"keys":{"p256dh":"\#(point)","auth":"\#(secret)"}}"#
    }

    /// The subscription comes as `JSON.stringify(subscription)` writes it and in an indented form, from an argument and from standard
    /// input.
    @Test func aBrowsersSubscriptionIsOneDevice() async throws {
        try await withOwnSystem { system in
            let pretty = """
                {
                  "endpoint": "https://push.test/w/gAAA",
                  "keys": { "auth": "\(Self.secret)", "p256dh": "\(Self.point)" }
                }
                """
            let first = try await system.register("ann", Self.subscription(), "--platform", "web")
            for same in [
                pretty, Self.subscription("https://push.test/w/gAAA#section"), Self.subscription("HTTPS://Push.Test:443/w/gAAA"),
                Self.subscription(secret: "AAECAwQFBgcICQoLDA0ODw"),
            ] {
                #expect(try await system.register("ann", same)["device_id"] == first["device_id"])
            }
            let piped = try await TestProcess(
                ["/bin/sh", "-c", "printf '\\n%s\\n' \"$2\" | \"$1\" device register ann - -o json", "sh", TestSystem.binary, pretty],
                environment: system.environment
            ).finish()
            #expect(try JSON.parse(piped.output)["device_id"] == first["device_id"], "\(piped.errors)")
            #expect(try await system.count("select count(*) from tidings_ops.devices") == 1)
            let found = try JSON.parse(try await system.tidings("find", pretty, "-o", "json").output)
            #expect(found.arrayValue?.contains { $0["matched_on"] == "token" } == true)
        }
    }

    @Test func findKnowsDevicesByIDAndToken() async throws {
        try await withOwnSystem { system in
            let id = try #require(try await system.register("ann", "A70C3A")["device_id"]?.stringValue)
            for (wanted, matched) in [(id, "device_id"), ("a70c3a", "token"), ("A70C3A", "token")] {
                let found = try JSON.parse(try await system.tidings("find", wanted, "-o", "json").output)
                #expect(found.arrayValue?.contains { $0["kind"] == "device" && $0["matched_on"]?.stringValue == matched } == true)
            }
        }
    }
}

extension TestSystem {
    fileprivate func tidings(arguments: [String]) async throws -> TestProcess.Result {
        try await TestProcess([Self.binary] + arguments, environment: environment).finish()
    }

    /// Registers a device, requires success, and returns its row.
    fileprivate func register(_ recipient: String, _ token: String, _ options: String...) async throws -> JSON {
        let result = try await TestProcess(
            [Self.binary, "device", "register", recipient, token, "-o", "json"] + options, environment: environment
        ).finish()
        try #require(result.exitCode == 0, "\(result.errors)")
        return try JSON.parse(result.output)
    }
}
