import Foundation
import TidingsCore
import TidingsJSON

/// A stand-in for Braze's `POST /messages/send`, for a binding with `endpoint: http://127.0.0.1:PORT/braze`.
///
/// Every API key is accepted, except keys that contain `wrong` (401) or `forbidden` (403). A call for one ``FixedRecipient`` ends as that
/// recipient says. `gone` is a success, because Braze skips people that it does not know. If one of several people is `rejected`, the call
/// succeeds with an entry in `errors`. Every answer names the limits of an hour, as Braze does.
struct BrazeStandIn: StandIn {
    static let path = "/braze"

    /// The most calls an hour.
    private static let hourlyLimit = 250_000

    func answer(_ request: StandInRequest) -> StandInAnswer {
        do throws(Refusal) {
            guard request.method == "POST", request.path == "/messages/send" else { throw Refusal(404, "Not Found") }
            try authorize(request)
            let json = try? JSON.parse(request.body)
            guard let json, json.objectValue != nil else { throw Refusal(400, "Bad Request", "the body is no JSON object") }
            let call = try BrazeCall(json)
            return answer(to: call, request)
        } catch {
            return StandInAnswer(response: Self.response(error.status, error.message, errors: error.errors, request))
        }
    }

    private func authorize(_ request: StandInRequest) throws(Refusal) {
        let scheme = "Bearer "
        let header = request.headers["authorization"] ?? ""
        switch StandInAnswer.refusal(ofCredential: header.hasPrefix(scheme) ? String(header.dropFirst(scheme.count)) : "") {
        case nil: return
        case 403?: throw Refusal(403, "Access Denied", "the key has no permission messages.send")
        case .some(let status): throw Refusal(status, "Unauthorized")
        }
    }

    private func answer(to call: BrazeCall, _ request: StandInRequest) -> StandInAnswer {
        let id = StandInAnswer.messageID(people: call.people, what: call.what)
        let dispatch = UUID().uuidString.lowercased()
        let refused = call.people.filter { FixedRecipient.named(in: $0) == .rejected }
        guard call.people.count == 1 else {
            let errors = refused.map { "no message could be made for external_user_id \($0)" }
            return StandInAnswer(messageID: id, response: Self.response(201, "success", errors: errors, dispatch: dispatch, request))
        }
        var answer = StandInAnswer(messageID: id, response: Self.response(201, "success", dispatch: dispatch, request))
        switch FixedRecipient.named(in: call.people[0]) {
        case .rejected: answer.response = Self.response(400, "Bad Request", errors: ["this person is to be rejected"], request)
        case .throttled:
            let reset = request.now.wholeSeconds + Int64(FixedRecipient.throttledSeconds)
            answer.first = Self.response(429, "Rate Limited", remaining: 0, reset: reset, request)
        case .flaky: answer.first = Self.response(503, "Service Unavailable", request)
        case .timeout: answer.hangs = true
        case .delivered, .gone, nil: break
        }
        return answer
    }

    private static func response(
        _ status: Int, _ message: String, errors: [String] = [], dispatch: String? = nil, remaining: Int = hourlyLimit - 1,
        reset: Int64? = nil, _ request: StandInRequest
    ) -> CaptureAnswer.Response {
        var json = JSONWriter()
        json.beginObject()
        if let dispatch { json.member("dispatch_id", dispatch) }
        if !errors.isEmpty {
            json.key("errors")
            json.beginArray()
            for error in errors { json.string(error) }
            json.endArray()
        }
        json.member("message", message)
        json.endObject()
        let nextHour = (request.now.wholeSeconds / 3_600 + 1) * 3_600
        return .json(
            status, json.bytes,
            headers: [
                ("x-ratelimit-limit", String(hourlyLimit)), ("x-ratelimit-remaining", String(remaining)),
                ("x-ratelimit-reset", String(reset ?? nextHour)),
            ])
    }
}
