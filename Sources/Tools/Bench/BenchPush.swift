import TidingsCommands
import TidingsCore
import TidingsServer
import TidingsStore

/// A measurement of push through real providers: their catalogue, the same without a network to compare with, and the devices.
struct BenchPush {
    let catalogue: Catalogue
    /// The kind of provider that issues the tokens of the devices; nil if the default market's provider addresses people.
    private let issuer: String?

    /// Registrations that are under way at once: one for each connection of the bench.
    private static let atOnce = BenchSystem.connections

    /// Throws a ``Failure`` if the default market of the catalogue has no provider of push.
    init(_ catalogue: Catalogue) throws {
        guard let market = catalogue.markets[catalogue.defaultMarket] else { throw Failure(.data, "the catalogue has no default market") }
        let bindings = catalogue.bindings(for: .push, in: market)
        guard let first = bindings.first(where: { !$0.copy }) else {
            throw Failure(.data, "market \(market.name), the default of the catalogue, has no provider that brings push to people")
        }
        self.catalogue = catalogue
        issuer = first.needsNoEndpoint ? nil : first.kind
    }

    /// The same catalogue without providers of push. ``BenchSystem/use(_:)`` then adds a provider that accepts push at once.
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
                // The share of one connection. If a share fails, the group ends all others.
                group.addTask {
                    for number in stride(from: first, to: load.intents, by: Self.atOnce) {
                        _ = try await store.recipients.register(
                            token: try DeviceToken(Self.token()), of: load.recipient(of: number), tenant: Intent.defaultTenant, settings)
                    }
                }
            }
        }
    }

    /// 40 random bytes in hexadecimal. APNs and FCM accept them as a token. With 32 bytes, FCM would refuse a token of APNs.
    private static func token() -> String {
        (0..<5).map { _ in
            let digits = String(UInt64.random(in: .min ... .max), radix: 16)
            return String(repeating: "0", count: 16 - digits.utf8.count) + digits
        }.joined()
    }
}
