import Foundation
import Testing
import TidingsCrypto
import TidingsEncodings
import TidingsJSON
import TidingsPostgres
import TidingsTestSupport

/// Reports of a service over HTTP. `tidings capture` plays the service that takes deliveries, and the test sends the service's callbacks.
@Suite struct CallbackTests {
    private static let secrets = ["DMP_SECRET": "the secret of the in-house service", "GATE_SECRET": "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"]

    /// `dmp` repeats the idempotency key. `gate` names only its own id of the message. `slow` answers after eight seconds.
    private static func catalogue(_ capture: String) -> String {
        """
        types:
          orderUpdate: {category: transactional, channels: [push]}
          slowUpdate: {category: transactional, channels: [sms]}
          alarm: {category: transactional, channels: [push, inApp], allowsCritical: true}
        markets:
          default: {push: [dmp, gate], sms: [slow], inApp: [inbox]}
        defaultMarket: default
        providers:
          inbox: {channel: inApp, kind: inbox}
          dmp: {channel: push, kind: http, addressing: person, settings: {\(dmp("\(capture)/ok/dmp"))}}
          slow: {channel: sms, kind: http, addressing: person, settings: {\(dmp("\(capture)/slow/8000"))}}
          gate:
            channel: push
            kind: http
            copy: true
            settings:
              url: "\(capture)/gate"
              messageIdPath: /message/id
              callbackAuthentication: standardWebhooks
              callbackSecret: env:GATE_SECRET
              callbackReference: message
              callbackReferencePath: /message
              callbackStatePath: /status
              callbackStates: opened = engaged, failed = failed timeout
        """
    }

    private static func dmp(_ url: String) -> String {
        """
        url: "\(url)", callbackAuthentication: hmac, callbackSecret: "env:DMP_SECRET", callbackHeader: X-Signature, \
        callbackTimestampHeader: X-Time, callbackReferencePath: /ref, callbackStatePath: /state, callbackTimePath: /at, \
        callbackStates: "arrived = delivered, bounced = failed, queued = ignored"
        """
    }

    private static func withServices(variables: [String: String] = [:], _ body: (APIScene) async throws -> Void) async throws {
        let prepare: (TestSystem) async throws -> String? = { system in
            let capture = try system.start("capture")
            let isListening = try await capture.says(/capturing on [^\n]*\n/)
            let address = try #require(isListening ? capture.outputSoFar.split(whereSeparator: \.isWhitespace).last?.dropLast() : nil)
            let answer = #"{"path":"/gate","body":"{\"message\":{\"id\":\"m-17\"}}","contentType":"application/json"}"#
            let set = try await LoopbackClient().ask("\(address)/_capture/behaviour", method: "PUT", body: answer)
            try #require(set.status == 200, "\(set.text)")
            return catalogue(String(address))
        }
        try await withAPI(variables: secrets.merging(variables) { $1 }, preparing: prepare, body)
    }

    /// A request that `dmp` signs.
    private static func call(
        _ api: APIScene, _ body: String, to provider: String = "dmp", age: Int = 0, signing signed: String? = nil,
        secret: String = secrets["DMP_SECRET"] ?? "", type: String = "application/json"
    ) async throws -> APIScene.Answer {
        let time = String(Int(Date().timeIntervalSince1970) - age)
        let signature = hmacSHA256(key: Array(secret.utf8), message: Array("\(time).\(signed ?? body)".utf8))
        return try await api.ask(
            "POST", "/v1/callbacks/\(provider)", headers: [("x-time", time), ("x-signature", Hexadecimal.encode(signature))], body: body,
            type: type)
    }

    /// A request that `gate` signs.
    private static func callGate(_ api: APIScene, _ body: String, id: String) async throws -> APIScene.Answer {
        let time = String(Int(Date().timeIntervalSince1970))
        let key = Base64.decode(secrets["GATE_SECRET"] ?? "") ?? []
        let signature = "v1," + Base64.encode(hmacSHA256(key: key, message: Array("\(id).\(time).\(body)".utf8)))
        let headers = [("webhook-id", id), ("webhook-timestamp", time), ("webhook-signature", signature)]
        return try await api.ask("POST", "/v1/callbacks/gate", headers: headers, body: body)
    }

    /// The states of the deliveries of an event by provider, such as `dmp sent accepted`.
    private static func states(_ event: String, _ api: APIScene) async throws -> [String] { try await api.pipeline.byProvider(of: event) }

    private static func reference(_ event: String, _ provider: String, _ api: APIScene) async throws -> String {
        let row = try await api.pipeline.system.query(
            """
            select notification_id || '-' || ordinal from tidings_ops.deliveries d join tidings_ops.notifications n using (notification_id)
            where n.idempotency_key = \(event) and d.provider = \(provider)
            """
        ).rows.first
        return try #require(row).decode(String.self)
    }

    @Test func aReportMovesItsDeliveryForward() async throws {
        try await Self.withServices { api in
            await api.pipeline.publish(event(id: "o-1", to: "ada"))
            #expect(try await Self.states("o-1", api) == ["dmp sent accepted", "gate sent accepted"])
            let reference = try await Self.reference("o-1", "dmp", api)

            let arrived = #"{"ref":"\#(reference)","state":"arrived","at":"2026-01-01T00:00:00Z"}"#
            #expect(try await Self.call(api, arrived).status == 204)
            #expect(try await Self.states("o-1", api) == ["dmp delivered delivered", "gate sent accepted"])
            // The same report again, a later failure, and a step that is not recorded.
            for body in [arrived, #"{"ref":"\#(reference)","state":"bounced"}"#, #"{"ref":"\#(reference)","state":"queued"}"#] {
                let answer = try await Self.call(api, body)
                #expect(answer.status == 204, "\(answer.text)")
            }
            #expect(try await Self.states("o-1", api) == ["dmp delivered delivered", "gate sent accepted"])
            let why = try await api.pipeline.json("why", try await api.pipeline.notificationID(of: "o-1"))
            let lines = why.arrayValue?.first?["timeline"]?.arrayValue?.compactMap { $0["detail"]?.stringValue } ?? []
            #expect(lines.count { $0 == "dmp reports delivered at 2026-01-01T00:00:00Z" } == 1, "\(lines)")
            #expect(lines.contains("dmp reports failed; the delivery stays delivered"), "\(lines)")
            let text = try await api.pipeline.system.tidings("why", "o-1").output
            #expect(text.contains(#/ \d\d:\d\d:\d\d  dmp reports delivered at 2026-01-01T00:00:00Z \(delivered\)\n/#), "\(text)")
            #expect(text.contains("  dmp reports failed; the delivery stays delivered (providerRejected)\n"), "\(text)")
            #expect(text.contains("  times of day: UTC\n"), "\(text)")

            // The other service knows the message by its own id, and may not speak for the first.
            let opened = try await Self.callGate(api, #"{"message":"m-17","status":"opened"}"#, id: "e-1")
            #expect(opened.status == 204, "\(opened.text)")
            #expect(try await Self.states("o-1", api) == ["dmp delivered delivered", "gate delivered delivered"])
            let foreign = try await Self.reference("o-1", "gate", api)
            #expect(try await Self.call(api, #"{"ref":"\#(foreign)","state":"bounced"}"#).status == 204)
            #expect(try await Self.states("o-1", api) == ["dmp delivered delivered", "gate delivered delivered"])
            try await api.pipeline.expectSound()
        }
    }

    /// The process of the API has a login that reads no content.
    @Test func aNarrowLoginRecordsReports() async throws {
        try await Self.withServices { wide in
            try await wide.withNarrowLogin { api in
                await api.pipeline.publish(event(id: "o-4", to: "ada"))
                #expect(try await Self.states("o-4", api) == ["dmp sent accepted", "gate sent accepted"])
                let reference = try await Self.reference("o-4", "dmp", api)
                for state in ["arrived", "bounced"] {
                    #expect(try await Self.call(api, #"{"ref":"\#(reference)","state":"\#(state)"}"#).status == 204, "\(state)")
                }
                let opened = try await Self.callGate(api, #"{"message":"m-17","status":"opened"}"#, id: "e-4")
                #expect(opened.status == 204, "\(opened.text)")
                #expect(try await Self.states("o-4", api) == ["dmp delivered delivered", "gate delivered delivered"])
                // A report of a message that no delivery has comes twice, and is kept once.
                for _ in 1...2 {
                    let foreign = try await Self.callGate(api, #"{"message":"m-99","status":"opened"}"#, id: "e-5")
                    #expect(foreign.status == 204, "\(foreign.text)")
                }
                #expect(try await api.pipeline.system.count("select count(*) from tidings.early_reports where reference = 'm-99'") == 1)
                // The push failed after all. The process notes it, and the releaser of the other process starts the next channel.
                let data = #""critical":true,"channels":["push","inApp"]"#
                await api.pipeline.publish(event(id: "a-2", type: "alarm", to: "ada", data: data))
                #expect(try await Self.states("a-2", api).last == "inbox suppressed escalationNotNeeded")
                let alarm = try await Self.reference("a-2", "dmp", api)
                #expect(try await Self.call(api, #"{"ref":"\#(alarm)","state":"bounced"}"#).status == 204)
                let isListed = try await eventually { try await api.ask("ada", "GET", "/api/notifications").json["total"] == 1 }
                #expect(isListed)
                try await api.pipeline.expectSound()
            }
        }
    }

    /// The service reports before it answers the call. It is told to report again.
    @Test func aReportBeforeTheAnswerIsNotLost() async throws {
        try await Self.withServices { api in
            await api.pipeline.publish(event(id: "s-1", type: "slowUpdate", to: "ada"))
            let isInFlight = try await api.pipeline.system.eventually(
                "select count(*) from tidings.packs where provider = 'slow' and claimed_at is not null"
            ) { $0 == 1 }
            #expect(isInFlight)
            let reference = try await Self.reference("s-1", "slow", api)
            let body = #"[{"ref":"\#(reference)","state":"arrived"},{"ref":"\#(reference)","state":"queued"}]"#
            let early = try await Self.call(api, body, to: "slow")
            #expect(early.status == 503 && early.problem == "unavailable", "\(early.text)")
            #expect(try await Self.states("s-1", api) == ["slow sent accepted"])
            #expect(try await Self.call(api, body, to: "slow").status == 204)
            #expect(try await Self.states("s-1", api) == ["slow delivered delivered"])
        }
    }

    /// The inbox was not needed, because the service had accepted the push. Then the service reports that the push did not arrive.
    @Test func aPushThatFailedAfterAllGoesOnToTheNextChannel() async throws {
        try await Self.withServices { try await Self.goOnAfterAFailure($0) }
    }

    /// The login of the API may not plan deliveries. A releaser does.
    @Test func aNarrowLoginLetsAnEscalationGoOn() async throws {
        try await Self.withServices { wide in
            try await wide.withNarrowLogin { try await Self.goOnAfterAFailure($0) }
        }
    }

    private static func goOnAfterAFailure(_ api: APIScene) async throws {
        let data = #""critical":true,"channels":["push","inApp"]"#
        await api.pipeline.publish(event(id: "a-1", type: "alarm", to: "ada", data: data))
        let before = ["dmp sent accepted", "gate sent accepted", "inbox suppressed escalationNotNeeded"]
        #expect(try await states("a-1", api) == before)
        #expect(try await api.ask("ada", "GET", "/api/notifications").json["total"] == 0)
        let pushed = try await reference("a-1", "dmp", api)
        let bounced = try await call(api, #"{"ref":"\#(pushed)","state":"bounced"}"#)
        #expect(bounced.status == 204, "\(bounced.text)")
        let isListed = try await eventually { try await api.ask("ada", "GET", "/api/notifications").json["total"] == 1 }
        #expect(isListed)
        let after = ["dmp failed providerRejected", "gate sent accepted", "inbox delivered delivered"]
        #expect(try await states("a-1", api) == after)
        try await api.pipeline.expectSound()
    }

    /// The account is shared with another system, and the service is faster than the worker. The service never has to report again.
    @Test func aMessageThatNoDeliveryHasIsNoReasonToComeAgain() async throws {
        try await Self.withServices(variables: HealthClient.variables) { api in
            let system = api.pipeline.system
            for turn in 1...3 {
                let foreign = try await Self.callGate(api, #"{"message":"m-99","status":"opened"}"#, id: "e-\(turn)")
                #expect(foreign.status == 204, "\(foreign.text)")
            }
            for _ in 1...2 {
                let early = try await Self.callGate(api, #"{"message":"m-17","status":"opened"}"#, id: "e-4")
                #expect(early.status == 204, "\(early.text)")
            }
            #expect(try await system.count("select count(*) from tidings.early_reports") == 4)

            await api.pipeline.publish(event(id: "o-4", to: "ada"))
            let isRecorded = try await system.eventually(
                """
                select count(*) from tidings_ops.deliveries d join tidings_ops.notifications n using (notification_id)
                where n.idempotency_key = 'o-4' and d.provider = 'gate' and d.state = 'delivered'
                """
            ) { $0 == 1 }
            #expect(isRecorded, "\(api.pipeline.roles.errorsSoFar)")
            #expect(try await system.eventually("select count(*) from tidings.early_reports") { $0 == 3 })
            #expect(try await api.metric(#"tidings_callbacks_total{provider="gate",result="early"}"#) == 5)
            #expect(try await api.metric(#"tidings_callbacks_total{provider="gate",result="applied"}"#) == 1)

            try await api.pipeline.shiftClock(by: "2 minutes")
            #expect(try await system.eventually("select count(*) from tidings.early_reports") { $0 == 0 })
            #expect(try await api.metric(#"tidings_callbacks_total{provider="gate",result="unknown"}"#) == 3)
            try await api.pipeline.expectSound()
        }
    }

    /// Events that cannot be read cost none of the others, and no repetition mends them. Texts that are not read do not matter.
    @Test func unreadableEventsAreCountedAndTheOthersRecorded() async throws {
        try await Self.withServices(variables: HealthClient.variables) { api in
            await api.pipeline.publish(event(id: "o-3", to: "ada"))
            #expect(try await Self.states("o-3", api) == ["dmp sent accepted", "gate sent accepted"])
            let reference = try await Self.reference("o-3", "dmp", api)
            let good = #"{"ref":"\#(reference)","state":"arrived","text":"Hi \ud83d","text":"\u0000"}"#
            let answer = try await Self.call(api, #"[{"ref":"\ud83d","state":"arrived"},7,\#(good),{"ref":}]"#)
            #expect(answer.status == 204, "\(answer.text)")
            #expect(try await Self.states("o-3", api) == ["dmp delivered delivered", "gate sent accepted"])
            #expect(api.pipeline.roles.errorsSoFar.contains("events of a callback cannot be read"))
            let metrics = try await HealthClient(of: api.pipeline.roles).ask("/metrics").text
            #expect(metrics.contains(#"tidings_callbacks_total{provider="dmp",result="unreadable"} 3"#), "\(metrics)")
            try await api.pipeline.expectSound()
        }
    }

    /// Headers that cannot be those of the service are refused at once. Bodies behind headers that may be count for their address.
    @Test func aStrangerCostsNoMemory() async throws {
        try await Self.withServices(variables: HealthClient.variables) { api in
            let time = Int(Date().timeIntervalSince1970)
            let signature = "X-Signature: \(String(repeating: "0", count: 64))\r\n"
            func send(_ headers: String) throws -> RawClient {
                let client = try RawClient(port: api.port)
                client.send("POST /v1/callbacks/dmp HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n")
                // The test speaks for a proxy, which names its client.
                client.send("X-Forwarded-For: 192.0.2.7\r\nContent-Length: 262144\r\n\(headers)\r\n")
                return client
            }
            for headers in [
                "", "X-Time: \(time)\r\n", signature, "X-Time: \(time - 400)\r\n\(signature)", "X-Time: \(time)\r\nX-Signature: 00\r\n",
            ] {
                let answer = try await send(headers).readToEnd()
                #expect(answer.hasPrefix("HTTP/1.1 401 "), "\(headers): \(answer)")
            }
            let possible = "X-Time: \(time)\r\n\(signature)"
            let holding = try (0..<4).map { _ in try send(possible) }
            let gauge = #"tidings_api_bytes_in_work{caller="strangers"}"#
            let isHeld = try await eventually { try await api.metric(gauge) == 1 << 20 }
            #expect(isHeld)
            let beyond = try await send(possible).readToEnd()
            #expect(beyond.hasPrefix("HTTP/1.1 429 ") && beyond.contains(#""of":"address","unit":"bytes""#), "\(beyond)")
            for client in holding { client.reset() }
            let isFree = try await eventually { try await api.metric(gauge) == 0 }
            #expect(isFree)
        }
    }

    @Test func onlyTheServiceIsHeard() async throws {
        try await Self.withServices { api in
            await api.pipeline.publish(event(id: "o-2", to: "ada"))
            #expect(try await Self.states("o-2", api) == ["dmp sent accepted", "gate sent accepted"])
            let body = #"{"ref":"\#(try await Self.reference("o-2", "dmp", api))","state":"arrived"}"#
            let strangers = [
                try await api.ask("POST", "/v1/callbacks/dmp", body: body), try await Self.call(api, body, secret: "another secret"),
                try await Self.call(api, body, signing: body + " "), try await Self.call(api, body, age: 400),
                try await Self.call(api, body, age: -400), try await Self.call(api, body, to: "gate"),
            ]
            for (position, answer) in strangers.enumerated() {
                #expect(answer.status == 401 && answer.problem == "unauthenticated", "\(position): \(answer.status) \(answer.text)")
                #expect(answer.type == "application/problem+json")
            }
            #expect(try await Self.states("o-2", api) == ["dmp sent accepted", "gate sent accepted"])

            for name in ["nobody", "%20", "dmp%2F"] { #expect(try await Self.call(api, body, to: name).problem == "not-found", "\(name)") }
            #expect(try await Self.call(api, body, type: "text/plain").status == 415)
            #expect(try await api.ask("GET", "/v1/callbacks/dmp").status == 405)
            #expect(try await Self.call(api, "{").problem == "malformed")
            #expect(try await Self.call(api, "\"" + String(repeating: "a", count: 262_144) + "\"").status == 413)
            #expect(try await Self.call(api, #"{"ref":"unknown","state":"arrived"}"#).status == 204)
            #expect(api.pipeline.roles.errorsSoFar.contains("a callback was refused"))
            #expect(!api.pipeline.roles.errorsSoFar.contains("the secret of the in-house service"))
        }
    }
}
