import Synchronization
import TidingsCore
import TidingsCrypto
import TidingsEncodings
import TidingsJSON

/// A stand-in for a push service and its browsers: RFC 8030, with the errors of Mozilla's service.
///
/// | request | answer |
/// | --- | --- |
/// | `POST /webpush/subscriptions` | 201 and a subscription in a browser's form, which is the token of a device |
/// | `POST /webpush/push/{id}` | 201 if the message passes the checks of the push service and of the browser |
/// | `GET /webpush/push/{id}` | 200 and the decrypted messages as a JSON array: text if a message is not JSON, null if it has no body |
///
/// The request for a subscription may have a body. `{"recipient":"test+gone"}` makes a ``FixedRecipient``. `{"vapidKey":"…"}`, in
/// Base64url, makes a subscription that accepts only messages of this key, as `applicationServerKey` does. Set a ``CaptureBehaviour`` for
/// other statuses. Its answers do not change which messages have arrived.
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

    /// Returns the origin of the push service, which VAPID tokens must name.
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
        // The id is as hard to guess as a real one, because anybody who knows it may send.
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

    /// Returns the notification's id. If the message has none, returns the topic or a constant.
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
