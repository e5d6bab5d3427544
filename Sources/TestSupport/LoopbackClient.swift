public import TidingsHTTP

/// Calls servers on this machine, over HTTP/1.1.
public struct LoopbackClient: Sendable {
    private let transport: HTTPTransport

    /// The longest time of one call. A server on this machine answers at once, or it hangs.
    private static let patience = Duration.seconds(10).patient
    private static let longestAnswer = 4 << 20

    public init() throws { transport = try HTTPTransport.open() }

    /// Throws if no answer comes.
    public func ask(
        _ url: String, method: String = "GET", headers: [(String, String)] = [], body: String = ""
    ) async throws -> (status: Int, type: String, text: String) {
        let response = try await answer(url, method: method, headers: headers, body: body)
        return (response.status, response.header("content-type") ?? "", String(decoding: response.body, as: UTF8.self))
    }

    /// The answer with its headers. Throws if no answer comes.
    public func answer(
        _ url: String, method: String = "GET", headers: [(String, String)] = [], body: String = ""
    ) async throws -> HTTPResponse {
        let request = HTTPRequest(
            method: method, url: url, headers: headers, body: Array(body.utf8), connectTimeout: Self.patience, totalTimeout: Self.patience,
            maximumResponseBytes: Self.longestAnswer,
            guarding: AddressGuard(
                allowedSchemes: ["http"], allowedPorts: nil, allowedNetworks: CIDR("127.0.0.0/8").map { [$0] } ?? []))
        switch await transport.send(request) {
        case .response(let response): return response
        case .failed(let failure): throw failure
        }
    }
}
