public import TidingsCore

extension SendResult {
    /// In bytes of UTF-8: the shortest part of an address that counts as secret. Shorter parts are words such as `wpush`.
    public static let shortestAddressPart = 16

    /// Returns the same result without the secret parts of an address. For a provider that sends to addresses of its recipients: anybody
    /// with such an address can send to it (for Web Push: RFC 8030 section 8.3).
    ///
    /// Hidden are the path with and without its query, and each part of path and query, if they have at least ``shortestAddressPart``
    /// bytes. Scheme, host and port stay, because they tell which server answered. See ``TidingsCore/SendResult/hiding(_:)``.
    public func hidingAddress(_ url: String) -> SendResult {
        let place = url.firstRange(of: "://").map { url[$0.upperBound...] } ?? url[...]
        let target = place.drop { !"/?#".contains($0) }
        let parts = [target, target.prefix { $0 != "#" }, target.prefix { !"?#".contains($0) }] + target.split { "/?&=#".contains($0) }
        return hiding(parts.filter { $0.utf8.count >= Self.shortestAddressPart }.map(String.init))
    }
}
