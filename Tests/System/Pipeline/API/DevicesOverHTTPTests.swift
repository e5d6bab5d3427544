import Testing
import TidingsJSON
import TidingsTestSupport

/// The registration of devices over HTTP: one device for each token, strict about the token, and lenient about its context.
@Suite struct DevicesOverHTTPTests {
    private static let point = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
    private static let secret = "BTBZMqHH6r4Tts7J_aSIgg"

    private static func subscription(
        _ endpoint: String = "https://push.test/w/gAAA", point: String = point, secret: String = secret
    ) -> JSON {
        .string(#"{"endpoint":"\#(endpoint)","expirationTime":null,"keys":{"p256dh":"\#(point)","auth":"\#(secret)"}}"#)
    }

    private static func body(_ token: JSON, _ facts: [String: JSON]) -> JSON {
        var body = JSONObject()
        body["token"] = token
        for (name, value) in facts { body[name] = value }
        return .object(body)
    }

    @Test func oneTokenIsOneDeviceHoweverItIsWritten() async throws {
        try await withAPI { api in
            let devices = Registrations(api: api)
            let phone = try await devices.register("ada", ["token": "740F4707BEBCF74F"])
            for token: JSON in ["740f4707bebcf74f", " 740f4707BEBCF74F\n"] {
                #expect(try await devices.register("ada", ["token": token]) == phone)
            }
            let browser = try await devices.register("ada", ["token": Self.subscription(), "platform": "web"])
            for token in [
                Self.subscription("https://push.test/w/gAAA#section"), Self.subscription("HTTPS://Push.Test:443/w/gAAA"),
                Self.subscription(secret: "AAECAwQFBgcICQoLDA0ODw"),
            ] {
                #expect(try await devices.register("ada", ["token": token, "platform": "web"]) == browser)
            }
            #expect(
                try await devices.register("ada", ["token": Self.subscription("https://push.test/w/gaaa"), "platform": "web"]) != browser)
            let small = try await devices.register("ada", ["token": "fcm:aBc", "platform": "android"])
            #expect(try await devices.register("ada", ["token": "fcm:ABC", "platform": "android"]) != small)

            // The next person signs in on the phone and in the browser.
            #expect(try await devices.register("bob", ["token": "740f4707bebcf74f"]) == phone)
            let taken: JSON = ["token": Self.subscription(secret: "EBESExQVFhcYGRobHB0eHw"), "platform": "web"]
            #expect(try await devices.register("bob", taken) == browser)
            for device in [phone, browser] {
                #expect(try await api.ask("ada", "PATCH", "/api/devices/\(device)", body: #"{"permission":"denied"}"#).status == 404)
                #expect(try await api.ask("ada", "DELETE", "/api/devices/\(device)").status == 404)
                #expect(try await api.ask("bob", "DELETE", "/api/devices/\(device)").status == 204)
            }
        }
    }

    @Test func aTokenThatCanNeverWorkIsRefused() async throws {
        try await withAPI { api in
            let devices = Registrations(api: api)
            for (token, facts) in [
                ("{length=32,bytes=0x740f4707}", [:]), ("dA9HB7689098JdSOM1iUdA9HB7689098JdSOM1iU9aY=", [:]), ("(null)", [:]),
                (.string(String(repeating: "0", count: 402)), [:]), ("fcm:APA91b", [:]), ("two words", ["platform": "android"]),
                ("null", ["platform": "android"]), (.string(String(repeating: "0a1b", count: 16)), ["provider": "fcm"]),
                (Self.subscription(), [:]), (Self.subscription(), ["platform": "android"]), ("740f4707", ["platform": "web"]),
                (Self.subscription(point: Self.secret, secret: Self.point), ["platform": "web"]),
                (Self.subscription("https://push.test:0/"), ["provider": "webpush"]), ("", [:]), (17, [:]),
                (Self.subscription("https://permanently-removed.invalid/fcm/send/x"), ["platform": "web"]),
                (Self.subscription("http://push.test/w"), ["platform": "web"]),
                (Self.subscription("https://push.test:9000/w"), ["platform": "web"]),
                (Self.subscription("https://10.0.0.5/w"), ["platform": "web"]),
                ("two words", ["provider": "in-house"]),
            ] as [(JSON, [String: JSON])] {
                let refused = try await devices.ask("ada", Self.body(token, facts))
                #expect(refused.status == 422 && refused.places("errors") == ["/token"], "\(refused.text)")
            }
            let device = try await devices.register("ada", ["token": "740f4707"])
            for (change, pointer) in [
                (#"{"token":"nope"}"#, "/token"), (#"{"token":"nope","permission":"denied"}"#, "/token"),
                (#"{"provider":"webpush"}"#, "/provider"),
            ] {
                let refused = try await api.ask("ada", "PATCH", "/api/devices/\(device)", body: change)
                #expect(refused.status == 422 && refused.places("errors") == [pointer], "\(change)")
            }
            #expect(try await api.ask("ada", "PATCH", "/api/devices/\(device)", body: #"{"token":"BEBCF74F"}"#).status == 200)
            #expect(try await devices.register("ada", ["token": "bebcf74f"]) == device)
            let key = try await api.key("recipients:write")
            let byBackend = try await api.ask(
                "POST", "/v1/recipients/ada/devices", authorization: key, body: #"{"token":"{length=32,bytes=0x740f4707}"}"#)
            #expect(byBackend.status == 422, "\(byBackend.text)")
        }
    }

    /// A token and the URL of a webhook are capabilities. A key that only reads people recognises them and cannot use them.
    @Test func addressesAreMaskedWithoutTheScopeForThem() async throws {
        try await withAPI { api in
            let devices = Registrations(api: api)
            let (token, hook) = ("80f9c2e1d4b7a6f5aabbccdd", "https://example.com/a-secret-path")
            _ = try await devices.register("ada", ["token": .string(token)])
            _ = try await devices.register("ada", ["token": Self.subscription(), "platform": "web"])
            let set = try await api.pipeline.system.tidings("recipient", "set", "ada", "--webhook", hook)
            try #require(set.exitCode == 0, "\(set.errors)")
            let path = "/v1/recipients/ada"
            func addresses(_ scopes: [String]) async throws -> (Set<String>, text: String) {
                let key = try await api.key(scopes)
                let answer = try await api.ask("GET", path, authorization: key)
                let endpoints = answer.json["endpoints"]?.arrayValue ?? []
                return (Set(endpoints.compactMap { $0["address"]?.stringValue }), answer.text)
            }
            let masked = try await addresses(["recipients:read"])
            #expect(masked.0 == ["…aabbccdd", "https://push.test/…", "https://example.com/…"])
            for secret in [token, hook, Self.secret, Self.point, "secrets"] { #expect(!masked.text.contains(secret), "\(secret)") }
            let whole = try await addresses(["recipients:read", "recipients:addresses"])
            #expect(whole.0.count == 3 && whole.0.isSuperset(of: [token, hook]) && whole.text.contains(Self.secret))
            #expect(!whole.text.contains("secrets"))
            let alone = try await api.ask("GET", path, authorization: try await api.key(["recipients:addresses"]))
            #expect(alone.status == 403, "the scope adds to another one: \(alone.text)")
            let listed = try await api.ask("GET", path + "/devices", authorization: try await api.key(["recipients:read"]))
            let rows = try await devices.rows(of: "ada")
            #expect(listed.json["devices"]?.arrayValue == rows && rows.count == 2, "the rows of tidings_ops.devices: \(listed.text)")
        }
    }

    @Test func aProviderIsKnownInAnyCase() async throws {
        try await withAPI { api in
            let devices = Registrations(api: api)
            let phone = try await devices.register("ada", ["token": "740F4707", "provider": "APNs"])
            #expect(try await devices.register("ada", ["token": "740f4707", "provider": "apns"]) == phone)
            let changed = try await api.ask("ada", "PATCH", "/api/devices/\(phone)", body: #"{"provider":"APNS"}"#)
            #expect(changed.status == 200 && changed.json["notes"] == nil, "\(changed.text)")
            #expect(try await devices.rows(of: "ada").map { $0["provider"] } == ["apns"])
            let key = try await api.key("recipients:write")
            let path = "/v1/recipients/ada/devices"
            let byBackend = try await api.ask("POST", path, authorization: key, body: #"{"token":"nope","provider":"APNs"}"#)
            #expect(byBackend.status == 422 && byBackend.places("errors") == ["/token"], "\(byBackend.text)")

            let misspelled = try await devices.ask("ada", ["token": "740f4707", "provider": "apn"])
            #expect(misspelled.status == 422 && misspelled.text.contains("did you mean"), "\(misspelled.text)")
            let later = try await devices.ask("ada", ["token": "a-token", "provider": "Firebase"])
            #expect(later.status == 200 && later.places("notes") == ["/provider"], "\(later.text)")
            let id = try #require(later.json["deviceId"]?.stringValue)
            let renamed = try await api.ask("ada", "PATCH", "/api/devices/\(id)", body: #"{"provider":"in-house"}"#)
            #expect(renamed.status == 200 && renamed.places("notes") == ["/provider"], "\(renamed.text)")
        }
    }

    @Test func contextNeverRefusesARegistration() async throws {
        try await withAPI { api in
            let devices = Registrations(api: api)
            for (name, value) in [
                ("timeZone", "GMT+0530"), ("timeZone", "Mars/Olympus"), ("timeZone", "IST"), ("timeZone", 5), ("locale", "klingon"),
                ("locale", "C"), ("locale", ["en"]), ("appVersion", 42), ("appVersion", .string(String(repeating: "9", count: 129))),
                ("locale", .string("en_" + String(repeating: "variant_", count: 20))),
            ] as [(String, JSON)] {
                let answer = try await devices.ask("ada", Self.body("740f4707", [name: value]))
                #expect(answer.status == 200, "\(answer.text)")
                #expect(answer.places("ignored") == ["/\(name)"], "\(answer.text)")
            }
            for name in ["timeZone", "locale", "appVersion"] {
                let answer = try await devices.ask("ada", Self.body("740f4707", [name: ""]))
                #expect(answer.status == 200 && answer.json["ignored"] == nil, "\(answer.text)")
            }
            let usual = try await devices.ask(
                "ada",
                ["token": "740f4707", "timeZone": "GMT-0300", "locale": "en_US@rg=gbzzzz", "appVersion": "4.2.0", "permission": "denied"])
            #expect(usual.json["ignored"] == nil, "\(usual.text)")
            let row = try #require(try await devices.rows(of: "ada").first)
            #expect(row["time_zone"] == "Etc/GMT+3" && row["locale"] == "en-US-u-rg-gbzzzz" && row["app_version"] == "4.2.0")
        }
    }

    /// The texts are written with escapes, as libraries write characters that no text may have.
    @Test func aDamagedTextIsLeftOutOrRefusedAtItsPlace() async throws {
        try await withAPI { api in
            func send(_ method: String, _ path: String, _ body: String) async throws -> APIScene.Answer {
                try await api.ask("ada", method, path, body: body)
            }
            let path = "/api/devices"
            for (name, text) in [
                ("timeZone", #"Europe/Paris\u0000"#), ("appVersion", #"1.0 \ud83d"#), ("appVersion", #"\u0000"#),
                ("locale", #"es-MX\u0000"#),
            ] {
                let answer = try await send("POST", path, #"{"token":"740f4707","\#(name)":"\#(text)"}"#)
                #expect(answer.status == 200 && answer.places("ignored") == ["/\(name)"], "\(answer.text)")
            }
            let devices = Registrations(api: api)
            let row = try #require(try await devices.rows(of: "ada").first)
            for column in ["time_zone", "app_version", "locale"] { #expect(row[column]?.isNull == true, "\(row)") }
            for (name, text) in [
                ("token", #"740f4707\u0000"#), ("provider", #"apns\ud83d"#), ("market", #"default\u0000"#), ("platform", #"ios\u0000"#),
                ("permission", #"denied\udc00"#),
            ] {
                let token = name == "token" ? "" : #","token":"740f4707""#
                let answer = try await send("POST", path, #"{"\#(name)":"\#(text)"\#(token)}"#)
                #expect(answer.status == 422 && answer.places("errors") == ["/\(name)"], "\(answer.text)")
            }
            let device = try #require(row["device_id"]?.stringValue)
            let change = "\(path)/\(device)"
            let alone = try await send("PATCH", change, #"{"appVersion":"1.0\u0000"}"#)
            #expect(alone.status == 422 && alone.places("errors") == ["/appVersion"], "\(alone.text)")
            let beside = try await send("PATCH", change, #"{"appVersion":"1.0\u0000","permission":"denied"}"#)
            #expect(beside.status == 200 && beside.places("ignored") == ["/appVersion"], "\(beside.text)")
            let key = try await api.key("recipients:write")
            let byBackend = try await api.ask(
                "POST", "/v1/recipients/ada/devices", authorization: key, body: #"{"token":"740f4707","appVersion":"1\u0000"}"#)
            #expect(byBackend.status == 200 && byBackend.places("ignored") == ["/appVersion"], "\(byBackend.text)")
            for body in [#"{"token":"740f4707","token":"740f4708"}"#, #"{"token":"740f4707""#] {
                #expect(try await send("POST", path, body).status == 400, "\(body)")
            }
        }
    }

    /// Elsewhere such a text refuses the body, and the answer names the character.
    @Test func theAnswerSaysWhatABodyHolds() async throws {
        try await withAPI { api in
            for (body, words) in [
                (#"{"timeZone":"Europe/Paris\u0000"}"#, "The body holds U+0000"), (#"{"timeZone":"\ud83d"}"#, "not Unicode"),
                (#"{"timeZone":"UTC","timeZone":"UTC"}"#, "has a member twice"), ("{", "is not JSON"),
            ] {
                let answer = try await api.ask("ada", "PUT", "/api/preferences", body: body)
                #expect(answer.status == 400 && answer.problem == "malformed" && answer.text.contains(words), "\(answer.text)")
            }
        }
    }

    /// In a change of nothing but context, the context is what is set. Beside anything else it is context again.
    @Test func aChangeOfContextAloneIsStrict() async throws {
        try await withAPI { api in
            let devices = Registrations(api: api)
            let device = try await devices.register("ada", ["token": "740f4707", "timeZone": "Europe/Paris"])
            func change(_ body: String) async throws -> APIScene.Answer {
                try await api.ask("ada", "PATCH", "/api/devices/\(device)", body: body)
            }
            for (body, pointer) in [
                (#"{"timeZone":"GMT+0530"}"#, "/timeZone"), (#"{"locale":"klingon"}"#, "/locale"), (#"{"appVersion":42}"#, "/appVersion"),
                (#"{"timeZone":"GMT+0530","locale":"de"}"#, "/timeZone"),
            ] {
                let refused = try await change(body)
                #expect(refused.status == 422 && refused.places("errors") == [pointer], "\(body)")
            }
            for body in [#"{"timeZone":"GMT+0530","permission":"denied"}"#, #"{"timeZone":"GMT+0530","token":"740F4707"}"#] {
                let changed = try await change(body)
                #expect(changed.status == 200 && changed.places("ignored") == ["/timeZone"], "\(changed.text)")
            }
            #expect(try await change(#"{"timeZone":"UTC+02:00","locale":"de_DE"}"#).json["ignored"] == nil)
            let row = try #require(try await devices.rows(of: "ada").first)
            #expect(row["time_zone"] == "Etc/GMT-2" && row["locale"] == "de-DE" && row["permission"] == "denied", "\(row)")
        }
    }
}

/// Registers devices of people with an API.
private struct Registrations {
    let api: APIScene

    func ask(_ person: String, _ body: JSON) async throws -> APIScene.Answer {
        try await api.ask(person, "POST", "/api/devices", body: body.serialized)
    }

    /// Requires success and returns the device's id.
    func register(_ person: String, _ body: JSON) async throws -> String {
        let answer = try await ask(person, body)
        return try #require(answer.status == 200 ? answer.json["deviceId"]?.stringValue : nil, "\(answer.text)")
    }

    func rows(of person: String) async throws -> [JSON] {
        try JSON.parse(try await api.pipeline.system.tidings("device", "list", person, "-o", "json").output).arrayValue ?? []
    }
}

extension APIScene.Answer {
    /// The pointers of the entries of a member of the answer.
    fileprivate func places(_ member: String) -> [String] {
        json[member]?.arrayValue?.compactMap { $0["pointer"]?.stringValue } ?? []
    }
}
