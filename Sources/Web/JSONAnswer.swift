package import HTTPTypes
package import TidingsCore
package import TidingsHTTPServer
package import TidingsJSON

extension ServerResponse {
    /// An answer in JSON. A line feed ends the body, so that the prompt of a shell stands on a line of its own.
    package static func json(_ status: HTTPResponse.Status = .ok, _ write: (inout JSONWriter) -> Void) -> ServerResponse {
        var writer = JSONWriter(capacity: 512)
        write(&writer)
        writer.endLine()
        return ServerResponse(status, headers: [.contentType: "application/json"], body: .bytes(writer.bytes))
    }

    package static func json(_ status: HTTPResponse.Status = .ok, _ json: JSON) -> ServerResponse { .json(status) { $0.value(json) } }

    package static let noContent = ServerResponse(.noContent)
}

extension JSONWriter {
    /// Writes a member with a text, or null.
    package mutating func optional(_ name: String, _ text: String?) {
        key(name)
        if let text { string(text) } else { null() }
    }

    /// Writes a member with an integer, or null.
    package mutating func optional(_ name: String, _ number: Int?) {
        key(name)
        if let number { integer(number) } else { null() }
    }
}

extension Timestamp {
    /// RFC 3339 in UTC with exactly three fraction digits. Apps parse no other number of digits.
    package var milliseconds: String { Timestamp(microseconds: microseconds - microseconds % 1_000).rfc3339 }
}
