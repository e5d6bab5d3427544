import HTTPTypes
package import TidingsHTTPServer

/// The credentials of a request: `Authorization: Bearer …` (RFC 6750). A token in the query or in a form is not accepted.
package struct BearerToken: Sendable {
    package let text: String

    /// Returns nil if the request has no `Authorization` header. Throws if the header is no bearer token, or comes twice.
    package init?(_ request: ServerRequest) throws {
        let values = request.head.headerFields[values: .authorization]
        guard let value = values.first else { return nil }
        let scheme = value.prefix { $0 != " " }
        guard values.count == 1, scheme.lowercased() == "bearer" else { throw Self.refused }
        let token = value.dropFirst(scheme.count).drop { $0 == " " }
        guard !token.isEmpty, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { throw Self.refused }
        text = String(token)
    }

    private static let refused = Problem(
        .invalidToken, "Send one header: Authorization: Bearer TOKEN.", headers: [.wwwAuthenticate: #"Bearer error="invalid_request""#])

    /// The answer to a request without credentials.
    package static let missing = Problem(
        .unauthenticated, "Send the header Authorization: Bearer TOKEN.", headers: [.wwwAuthenticate: "Bearer"])

    /// The answer to credentials that are not good.
    package static func invalid(_ detail: String) -> Problem {
        Problem(.invalidToken, detail, headers: [.wwwAuthenticate: #"Bearer error="invalid_token""#])
    }

    /// The refusal of good credentials that do not have the scope of the operation.
    package static func insufficient(_ scope: String, _ detail: String) -> Problem {
        Problem(.forbidden, detail, headers: [.wwwAuthenticate: #"Bearer error="insufficient_scope", scope="\#(scope)""#])
    }
}
