package import HTTPTypes
import TidingsHTTPServer

/// The headers that every answer has, whatever its operation is.
package enum AnswerHeaders {
    /// Adds the id of the request. A browser does not guess another content type, and a cache keeps an answer only if its operation says so.
    package static func add(to headers: inout HTTPFields, _ id: RequestID) {
        headers[.requestID] = id.description
        headers[.xContentTypeOptions] = "nosniff"
        if headers[.cacheControl] == nil { headers[.cacheControl] = "no-store" }
    }

    /// Tells browsers to ask this host by HTTPS only, for a year (RFC 6797). A process adds it if it speaks TLS itself. Behind a proxy, the
    /// headers about TLS are the proxy's.
    package static func addOnlyTLS(to headers: inout HTTPFields) { headers[.strictTransportSecurity] = "max-age=31536000" }
}

extension HTTPField.Name {
    package static let requestID = HTTPField.Name(known: "x-request-id")
}
