import TidingsHTTP
import TidingsJWT
import TidingsServer

/// The place of the public keys: a file, or an address that answers a JWK Set.
struct TokenKeySource: Sendable {
    /// Whether the keys come from a file of this machine. A file that cannot be read at the start is a mistake of the operator.
    let isFile: Bool
    let read: @Sendable () async throws -> [UInt8]
}

extension TokenKeySource {
    /// The longest time of one look at an address.
    static let patience = Duration.seconds(10)

    /// - Parameter place: an `https` address, or the path of a file.
    static func at(_ place: String) throws -> TokenKeySource {
        guard place.contains("://") else {
            return TokenKeySource(isFile: true) {
                guard let bytes = readBytes(place) else { throw TokenKeysUnreadable(reason: "the file cannot be read") }
                return bytes
            }
        }
        guard place.hasPrefix("https://") else {
            throw TokenKeysUnreadable(reason: "keys over a connection without TLS could be anybody's: use https")
        }
        if let problem = HTTPRequest.problem(inURL: place) { throw TokenKeysUnreadable(reason: "the address \(problem)") }
        let transport = try HTTPTransport.open()
        return TokenKeySource(isFile: false) {
            // The operator chose the address, so it may lie in the operator's own network.
            let everywhere = AddressGuard(allowedPorts: nil, allowedNetworks: CIDR.everything)
            let request = HTTPRequest(
                method: "GET", url: place, headers: [("accept", "application/json")], totalTimeout: patience,
                maximumResponseBytes: JSONWebKeySet.longestBytes + 1, guarding: everywhere)
            switch await transport.send(request) {
            case .failed(let failure): throw failure
            case .response(let response) where response.status == 200 && !response.bodyTruncated: return response.body
            case .response(let response): throw TokenKeysUnreadable(reason: "the address answers \(response.status)")
            }
        }
    }
}

/// The reason why keys cannot be read.
struct TokenKeysUnreadable: Error, CustomStringConvertible {
    let reason: String

    var description: String { reason }
}
