import HTTPTypes
package import TidingsHTTPServer

/// Cross-origin requests (CORS): the web origins whose pages may call the API. Without any, browsers refuse every page of another origin.
///
/// Credentials travel in a header and never in a cookie, so `Access-Control-Allow-Credentials` is never sent.
package struct AllowedOrigins: Sendable {
    private let origins: Set<String>

    package init(origins: Set<String>) { self.origins = origins }

    /// The answer to a browser's question before a request. Nil if the request is no such question, or the origin is not allowed.
    package func preflight(_ request: ServerRequest) -> ServerResponse? {
        guard request.method == .options, request.header(.accessControlRequestMethod) != nil, let origin = allowed(request) else {
            return nil
        }
        return ServerResponse(
            .noContent,
            headers: [
                .accessControlAllowOrigin: origin, .vary: "Origin", .accessControlAllowMethods: "GET, POST, PUT, PATCH, DELETE",
                .accessControlAllowHeaders: "Authorization, Content-Type, Idempotency-Key, Last-Event-ID, X-Request-Id, traceparent",
                .accessControlMaxAge: "600",
            ])
    }

    /// Lets the page read an answer.
    package func allow(_ request: ServerRequest, in response: inout ServerResponse) {
        guard !origins.isEmpty else { return }
        response.headers[.vary] = "Origin"
        guard let origin = allowed(request) else { return }
        response.headers[.accessControlAllowOrigin] = origin
        response.headers[.accessControlExposeHeaders] = "X-Request-Id, Retry-After"
    }

    private func allowed(_ request: ServerRequest) -> String? {
        request.header(.origin).flatMap { origins.contains($0) ? $0 : nil }
    }
}
