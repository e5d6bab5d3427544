import Testing
import TidingsCore
import TidingsCrypto
import TidingsEncodings
import TidingsHTTP
import TidingsJSON
import TidingsProvider

@testable import ProviderFCM
@testable import TidingsCapture

/// Checks that the stand-in accepts and refuses the same requests as FCM.
struct FCMStandInTests {
    private func account(_ email: String = FCMFixture.email) throws -> ServiceAccount {
        try ServiceAccount(json: FCMFixture.account(tokenURI: "http://capture.test/fcm/token", email: email))
    }

    private func exchange(_ body: [UInt8], with standIn: FCMStandIn, host: String = "capture.test") -> CaptureAnswer.Response {
        let headers = ["content-type": "application/x-www-form-urlencoded", "host": host]
        return standIn.answer(StandInRequest(method: "POST", path: "/token", headers: headers, body: body, now: FCMFixture.now)).response
    }

    private func json(_ response: CaptureAnswer.Response) throws -> JSON { try JSON.parse(response.body ?? []) }

    private func send(
        _ body: String, with standIn: FCMStandIn, project: String = "shop-7", token: String? = nil, after: Duration = .zero
    ) throws -> StandInAnswer {
        let token = try token ?? json(exchange(account().exchangeBody(at: FCMFixture.now), with: standIn))["access_token"]?.stringValue
        return standIn.answer(
            StandInRequest(
                method: "POST", path: "/v1/projects/\(project)/messages:send", headers: ["authorization": "Bearer \(try #require(token))"],
                body: Array(body.utf8), now: FCMFixture.now.adding(after)))
    }

    // MARK: Access tokens

    @Test func anAssertionIsExchanged() throws {
        let account = try account()
        let response = exchange(account.exchangeBody(at: FCMFixture.now), with: FCMStandIn(publicKey: account.privateKey.publicKey))
        #expect(response.status == 200)
        #expect(try json(response)["token_type"] == "Bearer" && json(response)["expires_in"] == 3_599)
    }

    @Test func anotherKeysSignatureIsRefused() throws {
        let standIn = FCMStandIn(publicKey: try RSAPrivateKey(pem: FCMKeys.other).publicKey)
        let response = exchange(try account().exchangeBody(at: FCMFixture.now), with: standIn)
        #expect(response.status == 400)
        #expect(try json(response) == ["error": "invalid_grant", "error_description": "Invalid JWT Signature."])
    }

    @Test func claimsAreChecked() throws {
        let standIn = FCMStandIn()
        let account = try account()
        let now = FCMFixture.now
        for (response, error) in [
            (exchange(account.exchangeBody(at: now.adding(.seconds(-4_000))), with: standIn), "invalid_grant"),
            (exchange(account.exchangeBody(at: now.adding(.seconds(400))), with: standIn), "invalid_grant"),
            (exchange(account.exchangeBody(at: now), with: standIn, host: "elsewhere.test"), "invalid_grant"),
            (
                exchange(try self.account("test+rejected@shop-7.iam.gserviceaccount.com").exchangeBody(at: now), with: standIn),
                "invalid_grant"
            ),
            (exchange(Array("grant_type=password".utf8), with: standIn), "unsupported_grant_type"),
            (exchange(Array("grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer".utf8), with: standIn), "invalid_grant"),
        ] {
            #expect(response.status == 400)
            #expect(try json(response)["error"]?.stringValue == error)
        }
    }

    @Test(arguments: [
        (
            #""scope":"https://www.googleapis.com/auth/drive","aud":"http://capture.test/fcm/token","iat":1767225600,"exp":1767229200"#,
            "invalid_scope"
        ),
        (
            #""scope":"https://www.googleapis.com/auth/cloud-platform","aud":"http://capture.test/fcm/token","iat":1767225600,"exp":1767229201"#,
            "invalid_grant"
        ),
        (
            #""scope":"https://www.googleapis.com/auth/cloud-platform","aud":"http://capture.test/fcm/token","iat":1767225600,"exp":1767229200"#,
            nil
        ),
    ])
    func scopeAndLifeAreChecked(_ claims: String, _ error: String?) throws {
        let parts = [#"{"alg":"RS256"}"#, "{\"iss\":\"a@b\",\(claims)}", "unsigned"].map { Base64URL.encode($0.utf8) }
        let body = "grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer&assertion=\(parts.joined(separator: "."))"
        #expect(try json(exchange(Array(body.utf8), with: FCMStandIn()))["error"]?.stringValue == error)
    }

    @Test func anUnknownOrExpiredTokenIsUnauthenticated() throws {
        let standIn = FCMStandIn(tokenLife: 60)
        let body = #"{"message":{"token":"t"}}"#
        #expect(try send(body, with: standIn, after: .seconds(59)).response.status == 200)
        for answer in [try send(body, with: standIn, after: .seconds(60)), try send(body, with: standIn, token: "made-up")] {
            #expect(answer.messageID == nil)
            #expect(refusesAccessToken(.response(http(answer.response))))
        }
    }

    @Test func theOldestTokenIsForgottenFirst() throws {
        let standIn = FCMStandIn()
        let body = try account().exchangeBody(at: FCMFixture.now)
        let tokens = try (0...FCMStandIn.rememberedTokens).map { _ in
            try #require(try json(exchange(body, with: standIn))["access_token"]?.stringValue)
        }
        #expect(Set(tokens).count == tokens.count)
        let message = #"{"message":{"token":"t"}}"#
        #expect(try tokens.prefix(2).map { try send(message, with: standIn, token: $0).response.status } == [401, 200])
    }

    @Test func anotherProjectIsNotFound() throws {
        let body = #"{"message":{"token":"t"}}"#
        let answer = try send(body, with: FCMStandIn(), project: "shop-8")
        #expect(fcmResult(of: .response(http(answer.response)), now: FCMFixture.now).outcome == .misconfigured(.misconfigured))
        #expect(try send(body, with: FCMStandIn(), project: "123456").response.status == 200)
    }

    @Test func otherAddressesAreNotFound() {
        for path in ["/batch", "/v1/projects/a/messages", "/v1/projects//messages:send", "/fcm/send", ""] {
            let request = StandInRequest(method: "POST", path: path, headers: [:], body: [], now: FCMFixture.now)
            #expect(FCMStandIn().answer(request).response.status == 404)
        }
    }

    // MARK: Messages

    @Test(arguments: ["ios", "android", "web", nil])
    func aMessageThatTheProviderBuildsIsValid(_ platform: String?) throws {
        var visible = OutgoingDelivery.fcmOrder(platform: platform)
        (visible.content.collapseKey, visible.header.expiresAt) = ("order-17", FCMFixture.now.adding(.seconds(99_999_999)))
        var silent = OutgoingDelivery.fcmMetadata(data: #"{"from":1,"google":{"a":[true]},"gcm.b":null}"#)
        silent.device = visible.device
        let standIn = FCMStandIn()
        for (item, id) in [(visible, "device-1 \(visible.notificationID)"), (silent, "device-1 metadata")] {
            let body = try fcmBody(of: item, now: FCMFixture.now).message
            let answer = try send(String(decoding: body, as: UTF8.self), with: standIn)
            #expect(answer.messageID == id)
            #expect(answer.response.status == 200, "\(String(decoding: answer.response.body ?? [], as: UTF8.self))")
        }
    }

    /// Messages that FCM accepts, beyond those that the provider makes.
    @Test(arguments: [
        #"{"message":{"topic":"news-1.a_b~c%25"}}"#, #"{"message":{"condition":"'a' in topics && 'b' in topics"}}"#,
        #"{"message":{"fid":"f","data":null}}"#, #"{"validateOnly":true,"message":{"token":"t"}}"#,
        ##"{"message":{"token":"t","android":{"ttl":"3.5s","directBootOk":true,"notification":{"notificationCount":2,"color":"#a0B1c2"}}}}"##,
        #"{"message":{"token":"t","webpush":{"headers":{"TTL":"1"},"fcm_options":{"link":"https://a.test"}}}}"#,
        #"{"message":{"token":"t","data":{"innerCamelCase":"stays"},"fcmOptions":{"analyticsLabel":"l"}}}"#,
        #"{"message":{"token":"t","android":{"ttl":"2419200s","notification":{"vibrate_timings":["0.5s"],"visibility":"SECRET"}}}}"#,
    ])
    func validMessagesAreTaken(_ body: String) throws {
        let answer = try send(body, with: FCMStandIn())
        #expect(answer.response.status == 200, "\(String(decoding: answer.response.body ?? [], as: UTF8.self))")
        #expect((answer.messageID == nil) == body.contains("validateOnly"))
    }

    @Test(arguments: [
        ("nope", ""), ("[]", ""), ("{}", "message"), (#"{"message":{"token":"t"},"dry_run":true}"#, ""),
        (#"{"message":{}}"#, "message"), (#"{"message":{"token":"t","topic":"a"}}"#, "message"), (#"{"message":{"token":""}}"#, "message"),
        (#"{"message":{"token":"ExponentPushToken[x]"}}"#, "message.token"), (#"{"message":{"token":"null"}}"#, "message.token"),
        ("{\"message\":{\"token\":\"\(String(repeating: "0aF1", count: 16))\"}}", "message.token"),
        (#"{"message":{"token":"t","data":{"a":"b","c":1}}}"#, "message.data[1].value"),
        (#"{"message":{"token":"t","data":{"from":"a"}}}"#, "message.data"),
        (#"{"message":{"token":"t","data":{"google.x":"a"}}}"#, "message.data"), (#"{"message":{"token":"t","data":[]}}"#, "message.data"),
        (#"{"message":{"token":"t","priority":"high"}}"#, "message"), (#"{"message":{"topic":"/topics/a"}}"#, "message.topic"),
        (#"{"message":{"condition":"in topics in topics in topics in topics in topics in topics"}}"#, "message.condition"),
        (#"{"message":{"token":"t","android":{"ttl":3600}}}"#, "message.android.ttl"),
        (#"{"message":{"token":"t","android":{"ttl":"3600"}}}"#, "message.android.ttl"),
        (#"{"message":{"token":"t","android":{"ttl":"1.s"}}}"#, "message.android.ttl"),
        (#"{"message":{"token":"t","android":{"ttl":"-1s"}}}"#, "message.android.ttl"),
        (#"{"message":{"token":"t","android":{"ttl":"2419201s"}}}"#, "message.android.ttl"),
        (#"{"message":{"token":"t","android":{"ttl":"2419200.1s"}}}"#, "message.android.ttl"),
        (#"{"message":{"token":"t","android":{"priority":"urgent"}}}"#, "message.android.priority"),
        (#"{"message":{"token":"t","android":{"notification":{"color":"red"}}}}"#, "message.android.notification.color"),
        (#"{"message":{"token":"t","android":{"notification":{"badge":1}}}}"#, "message.android.notification"),
        (#"{"message":{"token":"t","apns":{"headers":{"apns-priority":10}}}}"#, "message.apns.headers[0].value"),
        (#"{"message":{"token":"t","apns":{"payload":{"alert":"a"}}}}"#, "message.apns.payload"),
        (#"{"message":{"token":"t","webpush":{"fcm_options":{"link":"http://a"}}}}"#, "message.webpush.fcm_options.link"),
        (#"{"message":{"token":"t","apns":{"headers":{"apns-collapse-id":""}}}}"#, "message.apns.headers"),
        (#"{"message":{"token":"t","apns":{"headers":{"apns-collapse-id":"a\nb"}}}}"#, "message.apns.headers"),
        (#"{"message":{"token":"t","apns":{"headers":{"apns-collapse-id":"größe"}}}}"#, "message.apns.headers"),
        (
            "{\"message\":{\"token\":\"t\",\"apns\":{\"headers\":{\"apns-collapse-id\":\"\(String(repeating: "k", count: 65))\"}}}}",
            "message.apns.headers"
        ),
        (#"{"message":{"token":"t","android":{"collapse_key":""}}}"#, "message.android.collapse_key"),
        (#"{"message":{"token":"t","android":{"notification":{"tag":""}}}}"#, "message.android.notification.tag"),
    ])
    func invalidMessagesAreRefusedWithTheField(_ body: String, _ field: String) throws {
        let answer = try send(body, with: FCMStandIn())
        #expect(answer.response.status == 400 && answer.messageID == nil)
        let details = try json(answer.response)["error"]?["details"]?.arrayValue ?? []
        #expect(details.first?["fieldViolations"]?.arrayValue?.first?["field"]?.stringValue == field)
        #expect(fcmResult(of: .response(http(answer.response)), now: FCMFixture.now).outcome == .rejected(.providerRejected))
    }

    @Test func theSizeIsLimited() throws {
        for (target, limit) in [("token", 4_096), ("topic", 2_048)] {
            for (size, status) in [(limit, 200), (limit + 1, 400)] {
                let body = "{\"message\":{\"\(target)\":\"t\",\"data\":{\"x\":\"\(String(repeating: "y", count: size - 1))\"}}}"
                #expect(try send(body, with: FCMStandIn()).response.status == status)
            }
        }
    }

    @Test func thePayloadForAppleIsLimited() throws {
        let start = #"{"message":{"token":"t","apns":{"payload":"#
        let payload = #"{"aps":{"alert":"\#(String(repeating: "y", count: 4_096 - 20))"}}"#
        #expect(payload.utf8.count == 4_096)
        #expect(try send(start + payload + "}}}", with: FCMStandIn()).response.status == 200)
        // A line break has two bytes in JSON.
        let larger = payload.replacing("yy\"", with: "y\\n\"")
        #expect(try send(start + larger + "}}}", with: FCMStandIn()).response.status == 400)
    }

    private func http(_ response: CaptureAnswer.Response) -> HTTPResponse {
        HTTPResponse(status: response.status, headers: response.headers, body: response.body ?? [], bodyTruncated: false)
    }
}
