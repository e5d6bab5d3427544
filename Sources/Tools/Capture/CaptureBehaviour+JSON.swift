import TidingsCore
import TidingsJSON

extension CaptureBehaviour {
    /// Reads the JSON of the control interface:
    /// `{"path": "/shop", "script": [500, 500], "then": 200, "delayMilliseconds": 0, "retryAfter": "7", "hang": false, "reset": false,
    /// "goAwayEvery": 100, "body": "{}", "contentType": "application/json", "bodyBytes": 100, "dripMilliseconds": 50,
    /// "redirectTo": "http://…"}`. Every member is optional, but one besides `path` must be there. Any other member is refused.
    init(json: JSON) throws(CaptureError) {
        guard let object = json.objectValue else { throw CaptureError(message: "a behaviour is a JSON object") }
        self.init()
        for entry in object.entries {
            switch entry.key {
            case "path": path = try Self.path(entry.value)
            case "script": script = try Self.script(entry.value)
            case "then": then = try Self.number(entry, 200...599)
            case "delayMilliseconds": delay = Self.held(try Self.number(entry, 0...60_000))
            case "retryAfter": retryAfter = try Self.retryAfter(entry.value)
            case "hang": hangs = try Self.flag(entry)
            case "reset": resets = try Self.flag(entry)
            case "goAwayEvery": goAwayEvery = try Self.number(entry, 0...1_000_000)
            case "body": body = try Self.text(entry, atMost: CaptureLimits.answerBytes)
            case "contentType": contentType = try Self.line(entry)
            case "bodyBytes": bodyBytes = try Self.number(entry, 0...CaptureLimits.answerBytes)
            case "dripMilliseconds": drip = Self.held(try Self.number(entry, 0...60_000))
            case "redirectTo": redirectTo = try Self.line(entry)
            default:
                let known = "; there are \(Self.members.joined(separator: ", "))"
                let hint = NearestName.of(entry.key, among: Self.members).map { "; did you mean \($0)?" } ?? known
                throw CaptureError(message: "a behaviour has no member \"\(entry.key)\"\(hint)")
            }
        }
        guard object.entries.contains(where: { $0.key != "path" }) else {
            let known = Self.members.filter { $0 != "path" }.joined(separator: ", ")
            throw CaptureError(message: "the behaviour names no answer; there are \(known)")
        }
        if redirectTo != nil, object["then"] == nil { then = 302 }
    }

    /// The members of a behaviour. The guide to webhooks has a line for each.
    static let members = [
        "path", "script", "then", "delayMilliseconds", "retryAfter", "hang", "reset", "goAwayEvery", "body", "contentType", "bodyBytes",
        "dripMilliseconds", "redirectTo",
    ]

    /// Returns an absolute path; throws for any other value.
    static func path(_ value: JSON) throws(CaptureError) -> String {
        guard let path = value.stringValue, path.hasPrefix("/") else { throw CaptureError(message: "path must be text that starts with /") }
        return path
    }

    private static func script(_ value: JSON) throws(CaptureError) -> [Int] {
        guard let items = value.arrayValue, items.count <= CaptureLimits.scriptLength else {
            throw CaptureError(message: "script must be an array of at most \(CaptureLimits.scriptLength) statuses")
        }
        let statuses = items.compactMap(\.intValue).filter { (200...599).contains($0) }
        guard statuses.count == items.count else { throw CaptureError(message: "script must hold statuses from 200 to 599") }
        return statuses
    }

    private static func number(_ entry: JSONObject.Entry, _ range: ClosedRange<Int>) throws(CaptureError) -> Int {
        guard let number = entry.value.intValue, range.contains(number) else {
            throw CaptureError(message: "\(entry.key) must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    private static func flag(_ entry: JSONObject.Entry) throws(CaptureError) -> Bool {
        guard let flag = entry.value.boolValue else { throw CaptureError(message: "\(entry.key) must be true or false") }
        return flag
    }

    private static func retryAfter(_ value: JSON) throws(CaptureError) -> String {
        if let seconds = value.intValue, seconds >= 0 { return String(seconds) }
        return try line(JSONObject.Entry(key: "retryAfter", value: value))
    }

    private static func text(_ entry: JSONObject.Entry, atMost bytes: Int) throws(CaptureError) -> String {
        guard let text = entry.value.stringValue, text.utf8.count <= bytes else {
            throw CaptureError(message: "\(entry.key) must be text of at most \(bytes) bytes")
        }
        return text
    }

    /// Returns text that fits into a header; throws for any other value.
    private static func line(_ entry: JSONObject.Entry) throws(CaptureError) -> String {
        guard let text = entry.value.stringValue, text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw CaptureError(message: "\(entry.key) must be printable ASCII")
        }
        return text
    }
}
