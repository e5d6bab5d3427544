import Logging
import Synchronization
import TidingsHTTP
import TidingsJWT
import TidingsServer

/// The public keys that verify the tokens of people, from a file or an address. The last good set stays in force if a newer one cannot be
/// read.
final class TokenKeys: Sendable {
    /// A set of keys. Its number grows with every change of the set.
    struct Numbered: Sendable {
        let keys: JSONWebKeySet
        let number: Int
    }

    /// Between two regular looks for new keys.
    static let interval = Duration.seconds(300)
    /// The shortest time between two looks because of an unknown key. Anybody can send a token with an unknown key.
    static let shortestInterval = Duration.seconds(10)

    private struct State {
        var set: Numbered
        var bytes: [UInt8]
        var lookedAt: ContinuousClock.Instant
        /// Whether a look is under way. Callers wait for its result.
        var look: Task<Void, Never>?
    }

    private let source: TokenKeySource
    private let logger: Logger
    private let state: Mutex<State>

    /// Reads the keys for the first time. Throws if there are none: a process that can verify nothing must not start.
    init(_ source: TokenKeySource, logger: Logger) async throws {
        self.source = source
        self.logger = logger
        let bytes = try await source.read()
        let set = try JSONWebKeySet(bytes)
        for refusal in set.refused { logger.warning("a token key is not used", metadata: ["reason": "\(refusal)"]) }
        state = Mutex(State(set: Numbered(keys: set, number: 1), bytes: bytes, lookedAt: .now))
    }

    var current: Numbered { state.withLock { $0.set } }

    /// Looks for new keys from time to time, until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            // Time itself is awaited. Cancelled when the API stops.
            try? await Task.sleep(for: Self.interval)
            if !Task.isCancelled { await look() }
        }
    }

    /// The newest set, after one look at the source unless a look was made a moment ago.
    ///
    /// - Parameter number: the set in which a key was missing.
    func refreshed(after number: Int) async -> Numbered {
        let look = state.withLock { state -> Task<Void, Never>? in
            if state.set.number != number { return nil }
            if let look = state.look { return look }
            guard ContinuousClock.now - state.lookedAt >= Self.shortestInterval else { return nil }
            // One look for many callers, each of whom awaits it.
            let look = Task { await self.look() }
            state.look = look
            return look
        }
        await look?.value
        return current
    }

    private func look() async {
        let result: Result<[UInt8], any Error>
        do { result = .success(try await source.read()) } catch { result = .failure(error) }
        state.withLock { state in
            state.look = nil
            state.lookedAt = .now
            switch result {
            case .success(let bytes) where bytes == state.bytes: break
            case .success(let bytes):
                do {
                    state.set = Numbered(keys: try JSONWebKeySet(bytes), number: state.set.number + 1)
                    state.bytes = bytes
                    logger.notice("the token keys have changed", metadata: ["keys": "\(state.set.keys.keys.count)"])
                } catch {
                    logger.error("the new token keys are not valid, the old ones stay", metadata: ["error": "\(error)"])
                }
            case .failure(let error):
                logger.error("the token keys cannot be read, the old ones stay", metadata: ["error": "\(error)"])
            }
        }
    }
}

/// The place of the public keys: a file, or an address that answers a JWK Set.
struct TokenKeySource: Sendable {
    let read: @Sendable () async throws -> [UInt8]
}

extension TokenKeySource {
    /// The longest time of one look at an address.
    private static let patience = Duration.seconds(10)

    /// - Parameter place: an `https` address, or the path of a file.
    static func at(_ place: String) throws -> TokenKeySource {
        guard place.contains("://") else {
            return TokenKeySource {
                guard let bytes = readBytes(place) else { throw TokenKeysUnreadable(reason: "the file cannot be read") }
                return bytes
            }
        }
        guard place.hasPrefix("https://") else {
            throw TokenKeysUnreadable(reason: "keys over a connection without TLS could be anybody's: use https")
        }
        let transport = try HTTPTransport.open()
        return TokenKeySource {
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
