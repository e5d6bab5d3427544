import Foundation
import TidingsCore
import TidingsEncodings
import TidingsJSON

/// A stand-in for Airship's `POST /api/push` and `/api/push/validate`, for a binding with `endpoint: http://127.0.0.1:PORT/airship`.
///
/// Every app key, secret and token is accepted, except credentials that contain `wrong` (401) or `forbidden` (403). A call with one push
/// object for a ``FixedRecipient`` ends as that recipient says. `gone` is a success, because Airship handles dead devices itself. If one of
/// several objects would be refused, for example one for `rejected`, the whole call is refused.
struct AirshipStandIn: StandIn {
    static let path = "/airship"

    /// 5 MiB. The capture server itself reads less.
    private static let maximumBodyBytes = 5 << 20
    private static let mediaType = "application/vnd.urbanairship+json; version=3"

    func answer(_ request: StandInRequest) -> StandInAnswer {
        do throws(Refusal) {
            guard request.path == "/api/push" || request.path == "/api/push/validate" else {
                throw Refusal(404, 40_401, "there is no \(request.path)")
            }
            guard request.method == "POST" else { throw Refusal(405, 40_500, "\(request.method) is not for \(request.path)") }
            try authorize(request.headers)
            guard request.headers["accept"]?.filter({ $0 != " " }) == Self.mediaType.filter({ $0 != " " }) else {
                throw Refusal(406, 40_600, "Accept must be \(Self.mediaType)")
            }
            guard request.body.count <= Self.maximumBodyBytes else { throw Refusal(413, 41_300, "the body is too large") }
            let pushes = try AirshipPushes(request.body)
            guard request.path == "/api/push" else { return StandInAnswer(response: .json(200, Array(#"{"ok":true}"#.utf8))) }
            return answer(to: pushes)
        } catch {
            return StandInAnswer(response: Self.response(error))
        }
    }

    private func authorize(_ headers: [String: String]) throws(Refusal) {
        let words = (headers["authorization"] ?? "").split(separator: " ", maxSplits: 1).map(String.init)
        var credential = ""
        switch (words.first, words.last) {
        case ("Basic", let encoded?):
            let pair = String(decoding: Base64.decode(encoded) ?? [], as: UTF8.self)
            if pair.split(separator: ":").count == 2 { credential = pair }
        case ("Bearer", let token?):
            if let appKey = headers["x-ua-appkey"], !appKey.isEmpty { credential = "\(appKey):\(token)" }
        default: break
        }
        switch StandInAnswer.refusal(ofCredential: credential) {
        case nil: return
        case 403?: throw Refusal(403, 40_301, "Forbidden")
        case .some(let status): throw Refusal(status, 40_101, "Unauthorized")
        }
    }

    private func answer(to pushes: AirshipPushes) -> StandInAnswer {
        let recipients = pushes.people.map { FixedRecipient.named(in: $0) }
        var answer = StandInAnswer(
            messageID: StandInAnswer.messageID(people: pushes.people, what: pushes.what), response: Self.accepted(pushes.count))
        if let place = recipients.firstIndex(of: .rejected) {
            let path = pushes.isArray ? "[\(place)].audience.named_user" : "audience.named_user"
            answer.response = Self.response(Refusal(400, 40_000, "this person is to be rejected", path: path))
        }
        guard recipients.count == 1 else { return answer }
        switch recipients[0] {
        case .throttled:
            answer.first = Self.response(
                Refusal(429, 42_900, "Too Many Requests"),
                headers: [("retry-after", String(FixedRecipient.throttledSeconds))])
        case .flaky: answer.first = Self.response(Refusal(503, 50_300, "Service Unavailable"))
        case .timeout: answer.hangs = true
        case .delivered, .rejected, .gone, nil: break
        }
        return answer
    }

    private static func accepted(_ count: Int) -> CaptureAnswer.Response {
        var json = JSONWriter()
        json.beginObject()
        json.member("ok", true)
        json.member("operation_id", UUID().uuidString.lowercased())
        json.key("push_ids")
        json.beginArray()
        for _ in 0..<count { json.string(UUID().uuidString.lowercased()) }
        json.endArray()
        for name in ["message_ids", "content_urls", "localized_ids"] {
            json.key(name)
            json.beginArray()
            json.endArray()
        }
        json.endObject()
        return .json(202, json.bytes, headers: [("content-type", mediaType), ("data-attribute", "push_ids")])
    }

    private static func response(_ refusal: Refusal, headers: [(String, String)] = []) -> CaptureAnswer.Response {
        var json = JSONWriter()
        json.beginObject()
        json.member("ok", false)
        json.member("error", refusal.message)
        json.member("error_code", refusal.code)
        if let path = refusal.path {
            json.key("details")
            json.beginObject()
            json.member("error", refusal.cause ?? refusal.message)
            json.member("path", path)
            json.endObject()
        }
        json.member("operation_id", UUID().uuidString.lowercased())
        json.endObject()
        return .json(refusal.status, json.bytes, headers: [("content-type", mediaType)] + headers)
    }
}
