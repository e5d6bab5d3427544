import Synchronization
import TidingsCore
import TidingsCrypto
import TidingsEncodings
import TidingsJSON

/// A push service with its browsers: RFC 8030, with the errors of Mozilla's.
///
/// | request | answer |
/// | --- | --- |
/// | `POST /webpush/subscriptions` | 201 and a subscription as a browser has it, which is the token of a device |
/// | `POST /webpush/push/{id}` | 201 once everything is right that a push service and then the browser check |
/// | `GET /webpush/push/{id}` | 200 and what arrived, decrypted, as a JSON array: a text where a message is no JSON, null without a body |
///
/// A subscription may be asked for with a body: `{"recipient":"test+gone"}` for a ``FixedRecipient``, and `{"vapidKey":"…"}` for one that
/// takes messages of this key alone, in Base64url, as `applicationServerKey` does. Statuses of other kinds are set as a
/// ``CaptureBehaviour``; what it answers does not change what has arrived.
final class WebPushStandIn: StandIn {
    static let path = "/webpush"

    private let state = Mutex(WebPushMailboxes())

    func answer(_ request: StandInRequest) -> StandInAnswer {
        do throws(WebPushFault) {
            let words = request.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
            switch (request.method, words.count, words.first) {
            case ("POST", 1, "subscriptions"): return StandInAnswer(response: try subscribe(request))
            case ("POST", 2, "push"): return try push(request, to: words[1])
            case ("GET", 2, "push"): return StandInAnswer(response: try arrived(in: words[1]))
            case (_, 1, "subscriptions"), (_, 2, "push"): throw WebPushFault(405, 0, "\(request.method) is not for \(request.path)")
            default: throw WebPushFault(404, 102, "There is no \(request.path)")
            }
        } catch {
            return StandInAnswer(response: error.response())
        }
    }

    /// The push service's own, which VAPID tokens are for.
    private func origin(of request: StandInRequest) -> String {
        request.origin.isEmpty ? "http://\(request.headers["host"] ?? "")" : request.origin
    }

    // MARK: Subscribing

    private func subscribe(_ request: StandInRequest) throws(WebPushFault) -> CaptureAnswer.Response {
        var subscription = WebPushMailboxes.Subscription()
        var name = ""
        if !request.body.isEmpty {
            guard let json = try? JSON.parse(request.body), json.objectValue != nil else {
                throw .badRequest("The body is no JSON object")
            }
            subscription.recipient = json["recipient"]?.stringValue.flatMap(FixedRecipient.named)
            name = subscription.recipient.map { "test+\($0.rawValue)-" } ?? ""
            if let text = json["vapidKey"]?.stringValue {
                guard let point = Base64URL.decode(text), (try? P256PublicKey(point: point)) != nil else {
                    throw .badRequest("The vapidKey is not an uncompressed point of P-256 in Base64url")
                }
                subscription.boundKey = point
            }
        }
        // As hard to guess as a real one: to know it is to be allowed to send.
        let id = name + Base64URL.encode((0..<16).map { _ in UInt8.random(in: .min ... .max) })
        let browser = subscription.browser
        state.withLock { $0.add(subscription, id: id) }
        var json = JSONWriter()
        json.beginObject()
        json.member("endpoint", "\(origin(of: request))\(Self.path)/push/\(id)")
        json.key("expirationTime")
        json.null()
        json.key("keys")
        json.beginObject()
        json.member("p256dh", Base64URL.encode(browser.key.publicKey.point))
        json.member("auth", Base64URL.encode(browser.secret))
        json.endObject()
        json.endObject()
        return .json(201, json.bytes)
    }

    // MARK: Messages

    private func push(_ request: StandInRequest, to id: String) throws(WebPushFault) -> StandInAnswer {
        guard let subscription = state.withLock({ $0[id] }) else { throw .unknownSubscription }
        let origin = origin(of: request)
        let check = try WebPushRequestCheck(request, origin: origin, boundKey: subscription.boundKey)
        let plaintext: [UInt8]? =
            request.body.isEmpty ? nil : try subscription.browser.plaintext(of: request.body, senderKey: check.senderKey)
        let message = WebPushMailboxes.Message(topic: check.topic, plaintext: plaintext)
        let messageID = StandInAnswer.messageID(people: [id], what: Self.name(of: message))
        var answer = StandInAnswer(messageID: messageID, response: Self.accepted(origin: origin, ttl: check.ttl))
        switch subscription.recipient {
        case .rejected: answer.response = WebPushFault.badRequest("This subscription refuses every message").response()
        case .gone: answer.response = WebPushFault.gone.response()
        case .timeout: answer.hangs = true
        case .throttled:
            answer.first = WebPushFault.throttled.response(headers: [("retry-after", String(FixedRecipient.throttledSeconds))])
            keep(message, messageID, in: id, fromTheSecond: true)
        case .flaky:
            answer.first = WebPushFault.unavailable.response()
            keep(message, messageID, in: id, fromTheSecond: true)
        case .delivered, nil: keep(message, messageID, in: id, fromTheSecond: false)
        }
        return answer
    }

    private func keep(_ message: WebPushMailboxes.Message, _ messageID: String, in id: String, fromTheSecond: Bool) {
        state.withLock { mailboxes in
            if fromTheSecond, mailboxes.turnsAway(messageID, of: id) { return }
            mailboxes.put(message, into: id)
        }
    }

    /// The notification's id where the message has one.
    private static func name(of message: WebPushMailboxes.Message) -> String {
        message.plaintext.flatMap { try? JSON.parse($0) }?["id"]?.stringValue ?? message.topic ?? "message"
    }

    private static func accepted(origin: String, ttl: Int) -> CaptureAnswer.Response {
        let name = Base64URL.encode((0..<16).map { _ in UInt8.random(in: .min ... .max) })
        return CaptureAnswer.Response(
            status: 201, headers: [("location", "\(origin)\(path)/message/\(name)"), ("ttl", String(ttl))], body: [])
    }

    private func arrived(in id: String) throws(WebPushFault) -> CaptureAnswer.Response {
        guard let messages = state.withLock({ $0.messages(of: id) }) else { throw .unknownSubscription }
        var json = JSONWriter()
        json.beginArray()
        for message in messages {
            switch message.plaintext {
            case nil: json.null()
            case let plaintext? where (try? JSON.parse(plaintext)) != nil: json.raw(plaintext)
            case let plaintext?: json.string(String(decoding: plaintext, as: UTF8.self))
            }
        }
        json.endArray()
        return .json(200, json.bytes)
    }
}
