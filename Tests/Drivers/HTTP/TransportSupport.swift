import Testing
import TidingsTestSupport

@testable import TidingsHTTP

extension AddressGuard {
    /// The rules for the tests' own servers: loopback, any port, plain HTTP.
    static let loopback = AddressGuard(
        allowedSchemes: ["http", "https"], allowedPorts: nil, allowedNetworks: ["127.0.0.0/8", "::1"].compactMap { CIDR($0) })
}

extension HTTPRequest {
    /// A small POST. Its default time-outs are so long that no passing test reaches them.
    static func post(
        _ url: String, body: String = "hello", connectTimeout: Duration = .seconds(30).patient,
        totalTimeout: Duration = .seconds(30).patient, guarding: AddressGuard = .loopback
    ) -> HTTPRequest {
        HTTPRequest(
            url: url, headers: [("content-type", "text/plain")], body: Array(body.utf8), connectTimeout: connectTimeout,
            totalTimeout: totalTimeout, guarding: guarding)
    }
}

extension HTTPResult {
    func requireResponse(sourceLocation: SourceLocation = #_sourceLocation) throws -> HTTPResponse {
        if case .failed(let failure) = self { Issue.record("failed: \(failure)", sourceLocation: sourceLocation) }
        return try #require(response, sourceLocation: sourceLocation)
    }

    func requireFailure(sourceLocation: SourceLocation = #_sourceLocation) throws -> HTTPFailure {
        try #require(failure, "answered instead of failing", sourceLocation: sourceLocation)
    }

    var response: HTTPResponse? {
        if case .response(let response) = self { response } else { nil }
    }

    var failure: HTTPFailure? {
        if case .failed(let failure) = self { failure } else { nil }
    }
}

/// Runs the body with a new transport, and closes the transport.
func withTransport<Value>(
    _ configuration: HTTPConfiguration = HTTPConfiguration(), _ body: (HTTPTransport) async throws -> Value
) async throws -> Value {
    let transport = try HTTPTransport.open(configuration)
    do {
        let value = try await body(transport)
        await transport.close()
        return value
    } catch {
        await transport.close()
        throw error
    }
}
