import TidingsCommands
import TidingsContracts
import TidingsCore
import TidingsServer
import TidingsStore

/// A measurement of push through real providers: whose catalogue, the same without a network to compare it with, and the devices it needs.
struct BenchPush {
    let catalogue: Catalogue
    /// What issues the tokens that the default market sends to; nil when its providers address people.
    private let issuer: String?

    /// Registrations under way at once: as many as the bench has connections.
    private static let atOnce = BenchSystem.connections

    /// Throws a ``Failure`` when the default market of the catalogue has no provider of push.
    init(_ catalogue: Catalogue) throws {
        guard let market = catalogue.markets[catalogue.defaultMarket] else { throw Failure(.data, "the catalogue has no default market") }
        let bindings = catalogue.bindings(for: .push, in: market)
        guard let first = bindings.first(where: { !$0.copy }) else {
            throw Failure(.data, "market \(market.name), the default of the catalogue, has no provider that brings push to people")
        }
        self.catalogue = catalogue
        issuer = first.needsNoEndpoint ? nil : first.kind
    }

    /// The same catalogue, where push is accepted at once by nobody.
    var withoutNetwork: Catalogue {
        var catalogue = catalogue
        catalogue.markets[catalogue.defaultMarket]?.providers[.push] = nil
        return catalogue
    }

    /// Gives each person of a measurement a device.
    func registerDevices(for load: BenchLoad, in store: Store) async throws {
        guard let issuer else { return }
        let settings = DeviceSettings(platform: issuer == "apns" ? .ios : .android, provider: issuer)
        try await withThrowingDiscardingTaskGroup { group in
            for first in 0..<min(Self.atOnce, load.intents) {
                // One connection's share: what fails ends the others.
                group.addTask {
                    for number in stride(from: first, to: load.intents, by: Self.atOnce) {
                        guard let token = DeviceToken(Self.token()) else { continue }
                        _ = try await store.register(
                            token: token, of: load.recipient(of: number), tenant: Intent.defaultTenant, settings)
                    }
                }
            }
        }
    }

    /// 32 random bytes in hexadecimal, which every provider takes for a token.
    private static func token() -> String {
        (0..<4).map { _ in
            let digits = String(UInt64.random(in: .min ... .max), radix: 16)
            return String(repeating: "0", count: 16 - digits.utf8.count) + digits
        }.joined()
    }
}
