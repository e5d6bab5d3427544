import Foundation
import ProviderWebhook
import Testing
import TidingsCore
import TidingsHTTP
import TidingsJSON
import TidingsTestSupport

@testable import TidingsCapture

/// Counts, behaviours and the control interface, over the requests of an ordinary client.
struct CaptureServerTests {
    private func ask(
        _ method: String, _ url: String, _ body: String = "", headers: [(String, String)] = [], through transport: HTTPTransport
    ) async throws -> (status: Int, json: JSON?, response: HTTPResponse) {
        let request = HTTPRequest(
            method: method, url: url, headers: headers, body: Array(body.utf8), connectTimeout: .seconds(30).patient,
            totalTimeout: .seconds(30).patient, maximumResponseBytes: 4 << 20, guarding: .loopback)
        switch await transport.send(request) {
        case .response(let response): return (response.status, try? JSON.parse(response.body), response)
        case .failed(let failure): throw failure
        }
    }

    private func withCaptureAndTransport(_ body: (CaptureServer, String, HTTPTransport) async throws -> Void) async throws {
        let transport = try HTTPTransport.open()
        try await withCapture { server, origin in try await body(server, origin, transport) }
        await transport.close()
    }

    @Test func theServerCountsExactly() async throws {
        try await withCaptureAndTransport { server, origin, transport in
            try await withWebhooks { provider in
                for (key, path) in [("a", "/ok"), ("a", "/ok"), ("a", "/ok"), ("b", "/fail/1"), ("b", "/fail/1"), ("c", "/status/500")] {
                    _ = await provider.send(.sample(to: origin + path, key: key))
                }
            }
            _ = try await ask("POST", "\(origin)/ok", "{}", through: transport)
            let stats = server.stats
            #expect(stats.requests == 7 && stats.distinctIDs == 3 && stats.withoutID == 1)
            #expect(stats.acceptedIDs == 2 && stats.duplicatesAccepted == 1 && stats.extraAccepted == 2)
            #expect(stats.statuses == [200: 5, 500: 2])
            #expect(stats.signatures == [.valid: 6, .absent: 1])
            #expect(stats.isExact)
            let told = try await ask("GET", "\(origin)/_capture/stats", through: transport)
            #expect(told.response.body.last == UInt8(ascii: "\n"))
            #expect(told.json?["requests"]?.intValue == 7)
            #expect(told.json?["duplicatesAccepted"]?.intValue == 1)
            #expect(told.json?["statuses"]?["200"]?.intValue == 5)
            #expect(told.json?["signatures"]?["valid"]?.intValue == 6)
        }
    }

    @Test func theServerCountsExactlyUnderLoad() async throws {
        try await withCaptureAndTransport { server, origin, _ in
            try await withWebhooks { provider in
                await withTaskGroup(of: Void.self) { group in
                    for number in 0..<500 {
                        group.addTask { _ = await provider.send(.sample(to: "\(origin)/ok", key: "k\(number % 250)")) }
                    }
                }
            }
            #expect(server.stats.requests == 500 && server.stats.distinctIDs == 250)
            #expect(server.stats.duplicatesAccepted == 250 && server.stats.extraAccepted == 250)
        }
    }

    @Test func messagesAreToldAndForgotten() async throws {
        try await withCaptureAndTransport { server, origin, transport in
            for id in ["a", "b", "a"] {
                _ = try await ask("POST", "\(origin)/ok/here?q=1", "{\"n\":1}", headers: [("Webhook-Id", id)], through: transport)
            }
            let all = try await ask("GET", "\(origin)/_capture/messages", through: transport).json
            #expect(all?.arrayValue?.compactMap { $0["webhookId"]?.stringValue } == ["a", "b", "a"])
            let one = try await ask("GET", "\(origin)/_capture/messages?id=a", through: transport).json
            #expect(one?.arrayValue?.compactMap { $0["attempt"]?.intValue } == [1, 2])
            let elsewhere = try await ask("GET", "\(origin)/_capture/messages?path=/ok/there", through: transport).json
            #expect(elsewhere == .array([]))
            #expect(all?.arrayValue?.first?["path"]?.stringValue == "/ok/here")
            #expect(all?.arrayValue?.first?["body"]?.stringValue == "{\"n\":1}")
            #expect(try await ask("DELETE", "\(origin)/_capture/messages", through: transport).status == 200)
            #expect(server.stats == CaptureStats())
            #expect(server.requests().isEmpty)
        }
    }

    @Test func behavioursAreProgrammed() async throws {
        try await withCaptureAndTransport { _, origin, transport in
            let text = "{\"path\":\"/shop\",\"script\":[500,429],\"then\":202,\"retryAfter\":9,\"bodyBytes\":3}"
            #expect(try await ask("PUT", "\(origin)/_capture/behaviour", text, through: transport).status == 200)
            let id = [("webhook-id", "a")]
            var seen: [Int] = []
            for _ in 1...3 { seen.append(try await ask("POST", "\(origin)/shop/x", headers: id, through: transport).status) }
            #expect(seen == [500, 429, 202])
            let other = try await ask("POST", "\(origin)/shop", headers: [("webhook-id", "b")], through: transport).response
            #expect(other.status == 500 && other.header("retry-after") == "9" && other.body == Array("xxx".utf8))
            #expect(try await ask("POST", "\(origin)/shopping", headers: id, through: transport).status == 200)
            #expect(try await ask("DELETE", "\(origin)/_capture/behaviour", through: transport).status == 200)
            #expect(try await ask("POST", "\(origin)/shop", headers: [("webhook-id", "c")], through: transport).status == 200)
        }
    }

    @Test func theNearestBehaviourWins() async throws {
        try await withCaptureAndTransport { server, origin, transport in
            server.program(CaptureBehaviour(path: "/", then: 503))
            server.program(CaptureBehaviour(path: "/a/b", redirectTo: "http://example.com/"))
            let redirect = try await ask("POST", "\(origin)/a/b/c", through: transport).response
            #expect(redirect.status == 302 && redirect.header("location") == "http://example.com/")
            #expect(try await ask("POST", "\(origin)/a", through: transport).status == 503)
            #expect(try await ask("POST", "\(origin)/ok", through: transport).status == 503)
        }
    }

    @Test(arguments: [
        ("PUT", "behaviour", "not json", 400, "not JSON"), ("PUT", "behaviour", "[]", 400, "JSON object"),
        ("PUT", "behaviour", "{\"scrpit\":[]}", 400, "did you mean script?"), ("PUT", "behaviour", "{\"answer\":1}", 400, "there are path"),
        ("PUT", "behaviour", "{}", 400, "names no answer; there are script, then"),
        ("PUT", "behaviour", "{\"path\":\"/shop\"}", 400, "names no answer"),
        ("PUT", "behaviour", "{\"then\":99}", 400, "from 200 to 599"),
        ("PUT", "behaviour", "{\"script\":[200,\"x\"]}", 400, "statuses"),
        ("PUT", "behaviour", "{\"path\":\"shop\"}", 400, "starts with /"),
        ("PUT", "behaviour", "{\"redirectTo\":\"a\\r\\nb\"}", 400, "printable"), ("PUT", "secrets", "{}", 400, "array of text"),
        ("PUT", "secrets", "{\"secrets\":[\"whsec_!\"]}", 400, "base64"), ("POST", "stats", "", 405, "not for"),
        ("GET", "nothing", "", 404, "there are"),
        ("PUT", "secrets", #"{"pat":"/shop","secrets":[]}"#, 400, "no member \"pat\""),
    ])
    func controlTellsWhatIsWrong(_ method: String, _ name: String, _ body: String, _ status: Int, _ reason: String) async throws {
        try await withCaptureAndTransport { server, origin, transport in
            let told = try await ask(method, "\(origin)/_capture/\(name)", body, through: transport)
            #expect(told.status == status)
            #expect(told.response.body.last == UInt8(ascii: "\n"))
            #expect(told.json?["error"]?.stringValue?.contains(reason) == true, "\(String(describing: told.json))")
            #expect(server.stats.requests == 0)
        }
    }

    @Test func theGuideHasEveryMemberOfABehaviour() throws {
        let guide = TestSystem.repository.appendingPathComponent("Sources/Documentation.docc/Webhooks.md")
        let lines = try String(contentsOf: guide, encoding: .utf8).components(separatedBy: "\n")
        for member in CaptureBehaviour.members {
            #expect(lines.contains { $0.hasPrefix("| `") && $0.contains("`\(member)`") }, "\(member)")
        }
    }

    @Test func pathsHaveSecretsOfTheirOwn() async throws {
        let other = "whsec_" + String(repeating: "AAAA", count: 8)
        try await withCaptureAndTransport { server, origin, transport in
            let text = "{\"path\":\"/other\",\"secrets\":[\"\(other)\"]}"
            #expect(try await ask("PUT", "\(origin)/_capture/secrets", text, through: transport).status == 200)
            try await withWebhooks { provider in
                _ = await provider.send(.sample(to: "\(origin)/other/x", key: "a", secrets: [other]))
                _ = await provider.send(.sample(to: "\(origin)/other/x", key: "b", secrets: [testSecret]))
                _ = await provider.send(.sample(to: "\(origin)/ok", key: "c", secrets: [testSecret]))
            }
            #expect(server.requests().map(\.signature) == [.valid, .invalid, .valid])
        }
    }

    @Test func signaturesAreJudged() async throws {
        let vector = [
            ("webhook-id", "msg_p5jXN8AQM9LWM0D4loKWxJek"), ("webhook-timestamp", "1614265330"),
            ("webhook-signature", "v1a,skipped v1,AAAA v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="),
        ]
        try await withCaptureAndTransport { server, origin, transport in
            _ = try await ask("POST", "\(origin)/ok", "{\"test\": 2432232314}", headers: vector, through: transport)
            _ = try await ask("POST", "\(origin)/ok", "{\"test\": 2432232315}", headers: vector, through: transport)
            _ = try await ask("POST", "\(origin)/ok", "{}", headers: [vector[0], vector[2]], through: transport)
            _ = try await ask("POST", "\(origin)/ok", "{}", headers: [("webhook-id", "x")], through: transport)
            #expect(server.requests().map(\.signature) == [.stale, .invalid, .invalid, .absent])
        }
        try await withCapture(CaptureConfiguration()) { server, origin in
            _ = try await withWebhooks { await $0.send(.sample(to: "\(origin)/ok")) }
            #expect(server.requests().map(\.signature) == [.unchecked])
        }
    }

    @Test func longBodiesAreBounded() async throws {
        try await withCaptureAndTransport { server, origin, transport in
            let recorded = String(repeating: "y", count: CaptureLimits.recordedBodyBytes + 1)
            #expect(try await ask("POST", "\(origin)/ok", recorded, through: transport).status == 200)
            let request = try #require(server.requests().last)
            #expect(request.body.count == CaptureLimits.recordedBodyBytes && request.bodyBytes == recorded.utf8.count)
            let tooLong = String(repeating: "z", count: CaptureLimits.acceptedBodyBytes + 1)
            #expect(try await ask("POST", "\(origin)/ok", tooLong, through: transport).status == 413)
        }
    }

    @Test func theServerRemembersTheLastRequests() async throws {
        try await withCaptureAndTransport { server, origin, transport in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<CaptureLimits.remembered {
                    group.addTask { _ = try await ask("POST", "\(origin)/ok", headers: [("webhook-id", "old")], through: transport) }
                }
                try await group.waitForAll()
            }
            for id in ["x", "y"] { _ = try await ask("POST", "\(origin)/ok", headers: [("webhook-id", id)], through: transport) }
            let kept = server.requests()
            #expect(kept.count == CaptureLimits.remembered)
            #expect(kept.suffix(3).map(\.webhookID) == ["old", "x", "y"])
            #expect(server.stats.requests == CaptureLimits.remembered + 2)
        }
    }

    @Test func aTakenPortIsTold() async throws {
        try await withCapture { _, origin in
            let port = try #require(UInt16(origin.split(separator: ":").last ?? ""))
            let second = try CaptureServer(configuration: CaptureConfiguration(port: port))
            await #expect(throws: CaptureError.self) { try await second.run() }
        }
    }
}
