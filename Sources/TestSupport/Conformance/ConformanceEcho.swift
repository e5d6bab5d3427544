import TidingsJSON

/// A service that repeats the headers, path and body of each request.
struct ConformanceEcho: Sendable, CustomStringConvertible {
    enum Form: Sendable, Hashable {
        /// The request as text.
        case page
        /// The request in JSON, in the members that services use for errors.
        case members
        /// The request in the service's own answer, in place of one text. The texts of the JSON count first, then the values of the
        /// headers.
        case answer(ConformanceOutcome, text: Int)
    }

    /// The most texts of one answer that are tried.
    static let mostTexts = 16
    /// Characters before the repeated text, so that a secret lies across the place where a detail is cut.
    private static let paddings = [300, 400, 430, 460, 480, 490]

    var form: Form
    /// The status of an answer that is not the service's own.
    var status = 400
    /// The part that comes first: path, headers or body. The remaining parts follow.
    var first = 0
    var padding = 0
    /// Whether every request gets this answer, for example a call for an access token. Otherwise only deliveries do.
    var isForAll = false

    /// Every echo except those of the form ``Form/answer(_:text:)``.
    static let all: [ConformanceEcho] = {
        var all: [ConformanceEcho] = []
        for first in 0..<3 {
            for form in [Form.page, .members] {
                for status in [200, 400, 500] {
                    all.append(ConformanceEcho(form: form, status: status, first: first))
                    all.append(ConformanceEcho(form: form, status: status, first: first, isForAll: true))
                }
            }
            for padding in paddings { all.append(ConformanceEcho(form: .page, first: first, padding: padding)) }
        }
        return all
    }()

    var description: String { "\(form), \(status), part \(first) first, after \(padding)\(isForAll ? ", every request" : "")" }

    /// Returns nil if the service's own answer has no such text.
    func answer(to request: ConformanceRequest, of subject: any ConformanceSubject) -> ConformanceAnswer? {
        let text = String(repeating: "x", count: padding) + words(of: request)
        switch form {
        case .page: return ConformanceAnswer(status, text)
        case .members:
            var json = JSONObject()
            for name in ["error", "error_description", "message", "reason", "detail", "description"] { json[name] = .string(text) }
            return ConformanceAnswer(status, JSON.object(json).serialized, headers: [("content-type", "application/json")])
        case .answer(let outcome, var place):
            var answer = subject.answer(to: request, meaning: outcome)
            if let json = try? JSON.parse(answer.body) {
                answer.body = Self.replacing(&place, in: json, with: text).serialized
                if place < 0 { return answer }
            }
            guard answer.headers.indices.contains(place) else { return nil }
            answer.headers[place].1 = String(
                text.unicodeScalars.filter { (0x20...0x7E).contains($0.value) }.prefix(2_000).map(Character.init))
            return answer
        }
    }

    private func words(of request: ConformanceRequest) -> String {
        let headers = request.headers.sorted { $0.key < $1.key }.map { "\($0): \($1)" }.joined(separator: "\n")
        let parts = ["\(request.method) \(request.path)", headers, String(decoding: request.body, as: UTF8.self)]
        return (0..<parts.count).map { parts[(first + $0) % parts.count] }.joined(separator: "\n")
    }

    /// Replaces the text at `place`. Every text before it counts `place` down by one.
    private static func replacing(_ place: inout Int, in json: JSON, with text: String) -> JSON {
        switch json {
        case .string:
            place -= 1
            return place == -1 ? .string(text) : json
        case .array(let elements): return .array(elements.map { replacing(&place, in: $0, with: text) })
        case .object(var object):
            for entry in object.entries { object[entry.key] = replacing(&place, in: entry.value, with: text) }
            return .object(object)
        case .null, .bool, .number: return json
        }
    }
}
