package import HTTPTypes
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
