import TidingsCore
import TidingsHTTP
import TidingsJSON
import TidingsProvider

/// The ends of a push that differ from the common ones: path, method and `Accept` of a request are the same for every push.
let airshipRules = StatusRules([
    .init(404...406, .misconfigured(.misconfigured), "Airship, API errors")
])

/// Returns the result of each of `count` push objects, in their order, for Airship's answer or a failed call. The results differ only after
/// success: each has its own push id.
func airshipResults(of result: HTTPResult, count: Int, now: Timestamp) -> [SendResult] {
    let response: HTTPResponse
    switch result {
    case .failed(let failure): return Array(repeating: SendResult(failure.outcome, detail: failure.message), count: count)
    case .response(let answer): response = answer
    }
    let json = try? JSON.parse(leniently: response.body)
    if (200...299).contains(response.status), json?["ok"]?.boolValue == true {
        let ids = (json?["push_ids"]?.arrayValue ?? []).map(\.stringValue)
        return (0..<count).map { place in
            // If the number of ids differs from the number of objects, no id can be matched to its object.
            let id = ids.count == count ? ids[place] : nil
            return SendResult(.accepted(providerMessageID: id, delivered: false), status: response.status)
        }
    }
    let words = json.flatMap(words) ?? response.text
    return Array(repeating: SendResult(airshipRules.outcome(of: response, now: now), status: response.status, detail: words), count: count)
}

/// Returns the error in words, for example `40000 Could not parse request body: Unexpected key, at notification.alert1, operation 7f1a…`.
/// Absent parts are left out. Returns nil if the answer is not an error of Airship. Airship's support asks for the operation.
private func words(_ json: JSON) -> String? {
    guard let error = json["error"]?.stringValue else { return nil }
    let code = json["error_code"]?.intValue.map { "\($0) " } ?? ""
    let cause = json["details"]?["error"]?.stringValue.map { ": \($0)" } ?? ""
    let place = json["details"]?["path"]?.stringValue.map { ", at \($0)" } ?? ""
    let operation = json["operation_id"]?.stringValue.map { ", operation \($0)" } ?? ""
    return code + error + cause + place + operation
}
