import Foundation
import Synchronization
import TidingsCore
import TidingsCrypto

/// A stand-in for the Apple Push Notification service with provider tokens: `POST /3/device/{token}` over HTTP/2.
///
/// A binding of kind `apns` uses the stand-in with `endpoint` `https://127.0.0.1:PORT`. Device tokens are hexadecimal. The bytes of a fixed
/// recipient's token contain a text such as `test+gone` (`746573742b676f6e65`). A token whose bytes contain `test+` and a reason of
/// ``APNsFault``, such as `test+BadDeviceToken`, gets that error. Duplicate headers are not detected.
final class APNsStandIn: StandIn {
    static let path = "/3/device"

    private let keys: [String: P256PublicKey]
    private let connections = Mutex(APNsConnections())

    /// - Parameter keys: the team's public keys by their ids. If empty, every signature is accepted.
    init(keys: [String: P256PublicKey] = [:]) { self.keys = keys }

    /// - Parameter pems: private or public keys as PEM, by their ids.
    convenience init(pems: [String: String]) throws(CaptureError) {
        var keys: [String: P256PublicKey] = [:]
        for (id, pem) in pems {
            do throws(P256KeyError) {
                keys[id] = try P256PublicKey(pem: pem)
            } catch {
                throw CaptureError(message: "the key \(id) of APNs cannot be used: \(error)")
            }
        }
        self.init(keys: keys)
    }

    func answer(_ request: StandInRequest) -> StandInAnswer {
        guard request.connection > 0 else { return StandInAnswer(response: Self.needsHTTP2) }
        let given = request.headers["apns-id"]
        let id = given.flatMap { APNsPushCheck.isID($0) ? $0 : nil } ?? UUID().uuidString.lowercased()
        do throws(APNsFault) {
            let token = try APNsProviderToken(authorization: request.headers["authorization"], keys: keys, now: request.now)
            try admit(token, request)
            return answer(to: try APNsPushCheck(request), id: id, now: request.now)
        } catch {
            return StandInAnswer(response: error.response(id: id, now: request.now))
        }
    }

    private func admit(_ token: APNsProviderToken, _ request: StandInRequest) throws(APNsFault) {
        try connections.withLock { connections throws(APNsFault) in
            try connections.admit(token, on: request.connection, now: request.now)
        }
    }

    private func answer(to push: APNsPushCheck, id: String, now: Timestamp) -> StandInAnswer {
        let accepted = CaptureAnswer.Response(status: 200, headers: [("apns-id", id)], body: [])
        var answer = StandInAnswer(messageID: push.id, response: accepted)
        switch FixedRecipient.named(in: push.recipient) {
        case .delivered: break
        case .rejected: answer.response = APNsFault.invalidPushType.response(id: id, now: now)
        case .gone: answer.response = APNsFault.unregistered.response(id: id, now: now)
        case .throttled: answer.first = APNsFault.tooManyRequests.response(id: id, now: now)
        case .flaky: answer.first = APNsFault.serviceUnavailable.response(id: id, now: now)
        case .timeout: answer.hangs = true
        case nil: if let fault = APNsFault.named(in: push.recipient) { answer.response = fault.response(id: id, now: now) }
        }
        return answer
    }

    /// The answer to a request over HTTP/1.1, which the real service does not speak: 505 HTTP Version Not Supported.
    private static let needsHTTP2 = CaptureAnswer.Response.json(505, Array(#"{"reason":"HTTP/2 is needed"}"#.utf8))
}
