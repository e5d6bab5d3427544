import Testing
import TidingsCore
import TidingsCrypto
import TidingsHTTP
import TidingsJSON
import TidingsProvider

@testable import ProviderWebPush
@testable import TidingsCapture

/// Checks that the stand-in accepts and refuses the same requests as a push service.
struct WebPushStandInTests {
    private static let origin = "http://127.0.0.1:4711"
    private let standIn = WebPushStandIn()

    private func answer(_ method: String, _ path: String, headers: [String: String] = [:], _ body: [UInt8] = []) -> StandInAnswer {
        let headers = ["host": "127.0.0.1:4711"].merging(headers) { _, own in own }
        return standIn.answer(StandInRequest(method: method, path: path, headers: headers, body: body, now: WebPushFixture.now))
    }

    private func subscribe(_ body: String = "") throws -> PushSubscription {
        let response = answer("POST", "/subscriptions", Array(body.utf8)).response
        #expect(response.status == 201)
        return try PushSubscription(token: String(decoding: response.body ?? [], as: UTF8.self))
    }

    private func path(_ subscription: PushSubscription) -> String {
        String(subscription.endpoint.dropFirst("\(Self.origin)/webpush".utf8.count))
    }

    private static func headers(for origin: String = origin) throws -> [String: String] {
        [
            "ttl": "60", "content-encoding": "aes128gcm", "content-type": "application/octet-stream",
            "authorization": try WebPushFixture.identity().authorization(for: origin, at: WebPushFixture.now),
        ]
    }

    private func encrypted(_ plaintext: [UInt8], for subscription: PushSubscription, ephemeral: P256PrivateKey = P256PrivateKey())
        -> [UInt8]
    {
        MessageEncryption.encrypt(plaintext, for: subscription, ephemeral: ephemeral, salt: Array(repeating: 3, count: 16))
    }

    /// Sends a message as the provider does, but with some headers replaced. An empty header is left out.
    private func push(
        _ plaintext: String, to subscription: PushSubscription, _ changed: [String: String] = [:]
    ) throws -> StandInAnswer {
        let headers = try Self.headers().merging(changed) { _, other in other }.filter { !$0.value.isEmpty }
        return answer("POST", path(subscription), headers: headers, encrypted(Array(plaintext.utf8), for: subscription))
    }

    private func arrived(in subscription: PushSubscription) -> String {
        String(decoding: answer("GET", path(subscription)).response.body ?? [], as: UTF8.self)
    }

    // MARK: Subscriptions

    @Test func aSubscriptionIsWhatABrowserHas() throws {
        let response = answer("POST", "/subscriptions").response
        let json = try JSON.parse(response.body ?? [])
        #expect(json.objectValue?.keys == ["endpoint", "expirationTime", "keys"])
        let (one, other) = (try subscribe(), try subscribe("{}"))
        #expect(one.origin == Self.origin && one.endpoint.hasPrefix("\(Self.origin)/webpush/push/"))
        #expect(one.endpoint != other.endpoint && one.key.point != other.key.point && one.secret != other.secret)
    }

    @Test func theOriginOfTheRequestCountsWhereItIsKnown() throws {
        let request = StandInRequest(
            method: "POST", path: "/subscriptions", headers: ["host": "elsewhere.test"], body: [], now: WebPushFixture.now,
            origin: "https://127.0.0.1:8443")
        let body = String(decoding: standIn.answer(request).response.body ?? [], as: UTF8.self)
        #expect(try PushSubscription(token: body).origin == "https://127.0.0.1:8443")
    }

    @Test(arguments: ["nope", "[]", #"{"vapidKey":"AAAA"}"#, "{\"vapidKey\":\"\(WebPushFixture.point)=\"}"])
    func aWrongWishIsRefused(_ body: String) {
        #expect(answer("POST", "/subscriptions", Array(body.utf8)).response.status == 400)
    }

    @Test func otherAddressesAreRefused() throws {
        let subscription = try subscribe()
        for (method, path, status) in [
            ("POST", "/push/unknown", 404), ("GET", "/push/unknown", 404), ("POST", "", 404), ("GET", "/other", 404),
            ("POST", "/push/a/b", 404), ("GET", "/subscriptions", 405), ("DELETE", path(subscription), 405),
        ] {
            #expect(answer(method, path, headers: try Self.headers()).response.status == status, "\(method) \(path)")
        }
    }

    // MARK: Messages

    @Test func aMessageIsTakenAndKept() throws {
        let subscription = try subscribe()
        let answer = try push(#"{"id":"n-1","title":"Hello"}"#, to: subscription)
        #expect(answer.response.status == 201)
        let headers = Dictionary(answer.response.headers) { first, _ in first }
        #expect(headers["ttl"] == "60" && headers["location"]?.hasPrefix("\(Self.origin)/webpush/message/") == true)
        #expect(answer.messageID == "\(path(subscription).dropFirst("/push/".count)) n-1")
        _ = try push("plain text", to: subscription)
        _ = try push("", to: subscription)
        let empty = try Self.headers().filter { $0.key != "content-encoding" }
        #expect(self.answer("POST", path(subscription), headers: empty).response.status == 201)
        #expect(arrived(in: subscription) == #"[{"id":"n-1","title":"Hello"},"plain text","",null]"#)
        #expect(arrived(in: try subscribe()) == "[]")
    }

    @Test(arguments: [0, 1, 100, 3_992, 3_993])
    func messagesOfEverySizeArrive(_ count: Int) throws {
        let subscription = try subscribe()
        let text = String(repeating: "x", count: count)
        #expect(try push(text, to: subscription).response.status == 201)
        #expect(arrived(in: subscription) == "[\"\(text)\"]")
    }

    @Test func aTopicReplacesWhatWaits() throws {
        let subscription = try subscribe()
        for (text, topic) in [("1", "aa"), ("2", ""), ("3", "bb"), ("4", "aa"), ("5", ""), ("6", "aa")] {
            #expect(try push(text, to: subscription, ["topic": topic]).response.status == 201)
        }
        #expect(arrived(in: subscription) == "[2,3,5,6]")
    }

    @Test(arguments: [
        ("ttl", "", 400, 111), ("ttl", "soon", 400, 112), ("ttl", "-1", 400, 112), ("ttl", "1.5", 400, 112), ("ttl", " 1", 400, 112),
        ("topic", "a b", 400, 113), ("topic", "order.17", 400, 113), ("topic", "order", 400, 113), ("topic", "a", 400, 113),
        ("topic", String(repeating: "x", count: 33), 400, 113),
        ("urgency", "urgent", 400, 110), ("urgency", "low, high", 400, 110), ("content-encoding", "", 400, 110),
        ("content-encoding", "aesgcm", 400, 110), ("content-encoding", "aes128gcm, gzip", 400, 110),
        ("authorization", "", 401, 109), ("authorization", "vapid t=a.b.c, k=d", 403, 109),
    ])
    func aWrongHeaderIsRefused(_ name: String, _ value: String, _ status: Int, _ errno: Int) throws {
        let subscription = try subscribe()
        let answer = try push("1", to: subscription, [name: value])
        #expect(answer.response.status == status && answer.messageID == nil)
        let json = try JSON.parse(answer.response.body ?? [])
        #expect(json["code"]?.intValue == status && json["errno"]?.intValue == errno)
        #expect(arrived(in: subscription) == "[]")
    }

    @Test(arguments: [
        ("ttl", "0", "0"), ("ttl", "2592000", "2592000"), ("ttl", "2592001", "2592000"),
        ("ttl", String(repeating: "9", count: 40), "2592000"),
        ("topic", String(repeating: "x", count: 32), "60"), ("topic", "ab", "60"), ("topic", "order-7", "60"),
        ("urgency", "very-low", "60"), ("urgency", "high", "60"),
    ])
    func theEdgesAreTaken(_ name: String, _ value: String, _ ttl: String) throws {
        let answer = try push("1", to: try subscribe(), [name: value])
        #expect(answer.response.status == 201)
        #expect(answer.response.headers.first { $0.0 == "ttl" }?.1 == ttl)
    }

    @Test func aTokenForAnotherPushServiceIsRefused() throws {
        let authorization = try Self.headers(for: "http://127.0.0.1:4712")["authorization"] ?? ""
        #expect(try push("1", to: try subscribe(), ["authorization": authorization]).response.status == 403)
    }

    @Test func theBodyIsChecked() throws {
        let subscription = try subscribe()
        func status(_ body: [UInt8]) throws -> Int {
            answer("POST", path(subscription), headers: try Self.headers(), body).response.status
        }
        let whole = encrypted(Array(repeating: 1, count: 3_993), for: subscription)
        #expect(try status(whole) == 201)
        #expect(try status(whole + [0]) == 413)
        #expect(try status(Array(repeating: 0, count: 4_096)) == 400)
        #expect(try status([1]) == 400)
        #expect(try status(encrypted([1], for: try subscribe())) == 400)
        // The key for signatures must not be used for encryption as well.
        #expect(try status(encrypted([1], for: subscription, ephemeral: try P256PrivateKey(pem: P256Keys.pkcs8))) == 400)
        #expect(arrived(in: subscription).utf8.count > 3_993)
    }

    @Test func aSubscriptionBelongsToItsKey() throws {
        let own = try subscribe("{\"vapidKey\":\"\(P256Keys.point)\"}")
        #expect(try push("1", to: own).response.status == 201)
        let another = try subscribe("{\"vapidKey\":\"\(WebPushFixture.point)\"}")
        let refusal = try push("1", to: another).response
        #expect(refusal.status == 403)
        let result = webPushResult(of: WebPushFixture.result(refusal), now: WebPushFixture.now)
        #expect(result.outcome == .rejected(.tokenMalformed))
    }

    // MARK: Recipients with a fixed outcome

    @Test(
        arguments: [
            ("rejected", .rejected(.providerRejected)), ("gone", .endpointGone), ("delivered", nil), ("timeout", nil), ("throttled", nil),
            ("flaky", nil),
        ] as [(String, Outcome?)])
    func aFixedRecipientEndsAsItSays(_ name: String, _ outcome: Outcome?) throws {
        let subscription = try subscribe("{\"recipient\":\"test+\(name)\"}")
        #expect(subscription.endpoint.contains("/push/test+\(name)-"))
        let answer = try push(#"{"id":"n-1"}"#, to: subscription)
        let result = webPushResult(of: WebPushFixture.result(answer.response), now: WebPushFixture.now)
        if let outcome { #expect(result.outcome == outcome) } else { #expect(answer.response.status == 201) }
        #expect(answer.hangs == (name == "timeout"))
        #expect(answer.first?.status == ["throttled": 429, "flaky": 503][name])
        #expect(arrived(in: subscription) == (name == "delivered" ? #"[{"id":"n-1"}]"# : "[]"))
    }

    @Test(arguments: ["throttled", "flaky"])
    func aRefusedMessageArrivesTheSecondTime(_ name: String) throws {
        let subscription = try subscribe("{\"recipient\":\"test+\(name)\"}")
        for _ in 0..<2 { _ = try push(#"{"id":"n-1"}"#, to: subscription) }
        _ = try push(#"{"id":"n-2"}"#, to: subscription)
        #expect(arrived(in: subscription) == #"[{"id":"n-1"}]"#)
    }

    // MARK: Memory

    @Test func aSubscriptionKeepsItsLastMessages() throws {
        let subscription = try subscribe()
        for number in 0...WebPushMailboxes.messagesEach { _ = try push(String(number), to: subscription) }
        let numbers = try JSON.parse(arrived(in: subscription)).arrayValue?.compactMap(\.intValue)
        #expect(numbers == Array(1...100))
    }

    @Test func theOldestSubscriptionIsForgottenFirst() {
        var mailboxes = WebPushMailboxes()
        let subscription = WebPushMailboxes.Subscription()
        for number in 0..<WebPushMailboxes.subscriptions { mailboxes.add(subscription, id: String(number)) }
        mailboxes.put(WebPushMailboxes.Message(plaintext: [1]), into: "0")
        #expect(mailboxes.messages(of: "0")?.count == 1)
        mailboxes.add(subscription, id: "new")
        #expect(mailboxes["0"] == nil && mailboxes.messages(of: "0") == nil)
        #expect(mailboxes["1"] != nil && mailboxes["new"] != nil)
        mailboxes.put(WebPushMailboxes.Message(plaintext: [1]), into: "0")
        #expect(mailboxes.messages(of: "0") == nil)
    }

    @Test func theOldestMessagesOfAllAreForgottenFirst() {
        var mailboxes = WebPushMailboxes()
        let (subscription, count) = (WebPushMailboxes.Subscription(), WebPushMailboxes.messagesInAll / WebPushMailboxes.messagesEach)
        for number in 0...count { mailboxes.add(subscription, id: String(number)) }
        for number in 0..<count {
            for _ in 0..<WebPushMailboxes.messagesEach { mailboxes.put(WebPushMailboxes.Message(), into: String(number)) }
        }
        #expect(mailboxes.messages(of: "0")?.count == 100)
        for _ in 0..<30 { mailboxes.put(WebPushMailboxes.Message(), into: String(count)) }
        #expect(mailboxes.messages(of: "0")?.count == 70 && mailboxes.messages(of: "1")?.count == 100)
        #expect(mailboxes.messages(of: String(count))?.count == 30)
    }
}
