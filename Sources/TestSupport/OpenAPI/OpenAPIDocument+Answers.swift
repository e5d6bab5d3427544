package import TidingsHTTP
package import TidingsJSON
import TidingsJSONSchema

/// The check of real answers.
extension OpenAPIDocument {
    /// Statuses that any request may be answered with, so that no operation lists them. The description of the document names them. 500 is
    /// not among them here: it is always a fault.
    package static let general: Set = [405, 408, 431]

    /// The faults of an answer. Empty if it is as the document says: the status, the headers, the media type, and the body with no member
    /// that its schema does not list.
    ///
    /// - Parameter path: with or without a query.
    package func faults(of answer: HTTPResponse, to method: String, _ path: String) throws -> [String] {
        let path = String(path.prefix { $0 != "?" })
        guard let operation = operation(method, path) else {
            guard [400, 404, 405].contains(answer.status) else { return ["the document has no such operation"] }
            return try problemFaults(answer)
        }
        if Self.general.contains(answer.status) { return try problemFaults(answer) }
        guard let response = operation.responses[answer.status] else { return ["\(operation.id) does not document \(answer.status)"] }
        return try headerFaults(response, answer).map { "\(operation.id) \(answer.status): \($0)" }
            + bodyFaults(response, answer).map { "\(operation.id) \(answer.status): \($0)" }
    }

    /// The faults of the data of an event of the stream.
    package func faults(ofEvent name: String, data: JSON) throws -> [String] {
        // The farewell has only a time to wait.
        if name == "bye" { return data == .object(JSONObject()) ? [] : ["bye has data"] }
        let stream = operations.first { $0.id == "streamNotifications" }?.responses[200]?["content"]?["text/event-stream"]
        guard let place = stream?["x-events"]?[name]?.stringValue else { return ["the document has no event \(name)"] }
        return try schema(["$ref": .string(place)]).validate(data).map { "event \(name): \($0)" }
    }

    /// The operation of a request. A path with a fixed word is preferred to one with a parameter in its place.
    func operation(_ method: String, _ path: String) -> Operation? {
        let method = method == "HEAD" ? "GET" : method
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        var best: (fixed: Int, operation: Operation)?
        for operation in operations where operation.method == method {
            let template = operation.path.split(separator: "/", omittingEmptySubsequences: false)
            guard template.count == segments.count,
                zip(template, segments).allSatisfy({ $0.hasPrefix("{") ? !$1.isEmpty : $0 == $1 })
            else { continue }
            let fixed = template.count { !$0.hasPrefix("{") }
            if fixed > best?.fixed ?? -1 { best = (fixed, operation) }
        }
        return best?.operation
    }

    private func problemFaults(_ answer: HTTPResponse) throws -> [String] {
        guard mediaType(answer) == "application/problem+json" else { return ["\(answer.status) without a problem document"] }
        return try bodyFaults(["$ref": "#/components/schemas/Problem"], in: answer)
    }

    private func headerFaults(_ response: JSON, _ answer: HTTPResponse) throws -> [String] {
        var faults: [String] = []
        for entry in response["headers"]?.objectValue?.entries ?? [] {
            let header = try follow(entry.value)
            guard let value = answer.header(entry.key.lowercased()) else {
                if header["required"] == true { faults.append("\(entry.key) is missing") }
                continue
            }
            guard let schema = header["schema"] else { continue }
            // A header is a text. A schema for a number reads it as one.
            let json = try schema["type"] == "integer" ? JSON.parse(value) : .string(value)
            faults += try self.schema(schema).validate(json).map { "\(entry.key): \($0)" }
        }
        return faults
    }

    private func bodyFaults(_ response: JSON, _ answer: HTTPResponse) throws -> [String] {
        guard let content = response["content"]?.objectValue else { return answer.body.isEmpty ? [] : ["has a body"] }
        let type = mediaType(answer)
        guard let media = content[type] else { return ["is \(type), not \(content.keys.joined(separator: " or "))"] }
        guard type == "application/json" || type.hasSuffix("+json"), let schema = media["schema"] else { return [] }
        return try bodyFaults(schema, in: answer)
    }

    private func bodyFaults(_ schema: JSON, in answer: HTTPResponse) throws -> [String] {
        let ending = answer.body.last == UInt8(ascii: "\n") ? [] : ["no line feed ends the body"]
        return try ending + self.schema(schema).validate(JSON.parse(answer.body)).map(\.description)
    }

    private func mediaType(_ answer: HTTPResponse) -> String {
        (answer.header("content-type") ?? "").prefix { $0 != ";" }.lowercased()
    }
}
