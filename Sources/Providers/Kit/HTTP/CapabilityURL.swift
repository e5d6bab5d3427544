public import TidingsCore

extension SendResult {
    /// Bytes of a part of an address that may be what makes it a secret; shorter ones are words like `wpush`.
    public static let shortestAddressPart = 16

    /// The same result without what makes an address a secret, for a provider that sends to addresses of its recipients: whoever knows
    /// such an address may send to it too (for Web Push: RFC 8030 section 8.3).
    ///
    /// Hidden are its path, with and without the query, and each part of both, as far as they have ``shortestAddressPart`` bytes. Scheme,
    /// host and port stay: they say who answered. See ``TidingsCore/SendResult/hiding(_:)``.
    public func hidingAddress(_ url: String) -> SendResult {
        let place = url.firstRange(of: "://").map { url[$0.upperBound...] } ?? url[...]
        let target = place.drop { !"/?#".contains($0) }
        let parts = [target, target.prefix { $0 != "#" }, target.prefix { !"?#".contains($0) }] + target.split { "/?&=#".contains($0) }
        return hiding(parts.filter { $0.utf8.count >= Self.shortestAddressPart }.map(String.init))
    }
}
