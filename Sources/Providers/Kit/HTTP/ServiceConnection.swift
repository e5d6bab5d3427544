public import TidingsCore
public import TidingsHTTP

/// The connections of one provider to its service over libcurl, with the provider's name and clock.
public struct ServiceConnection: Sendable {
    /// The binding's name in the catalogue.
    public let name: String
    /// The clock of tokens, of times to live and of dates in `Retry-After`.
    public let now: @Sendable () -> Timestamp
    private let transport: HTTPTransport

    /// Opens the connections of one provider, which must close them.
    public static func open(
        _ configuration: HTTPConfiguration, for provider: String, now: @escaping @Sendable () -> Timestamp = Timestamp.systemTime
    ) throws(ProviderConfigurationError) -> ServiceConnection {
        do throws(HTTPFailure) {
            return ServiceConnection(name: provider, now: now, transport: try HTTPTransport.open(configuration))
        } catch {
            throw ProviderConfigurationError(provider: provider, message: error.message)
        }
    }

    /// Sends one request, once, and waits for its response or failure.
    public func send(_ request: HTTPRequest) async -> HTTPResult { await transport.send(request) }

    public func close() async { await transport.close() }
}

/// A provider that calls its service over libcurl. Its name and its end are those of the connection.
public protocol ConnectedProvider: Provider {
    var connection: ServiceConnection { get }
}

extension ConnectedProvider {
    public var name: String { connection.name }
    public func close() async { await connection.close() }
}
