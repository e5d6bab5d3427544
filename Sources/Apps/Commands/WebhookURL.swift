import TidingsServer

/// Checks a webhook's URL before anything is sent there. Each send also guards against addresses of the own network.
enum WebhookURL {
    /// The longest URL in bytes. Common receivers and proxies refuse longer URLs.
    private static let maximumBytes = 2_048

    /// Returns the problem of the text, as the end of a sentence; nil if the text is an http or https URL with a host.
    static func problem(_ text: String) -> String? {
        guard text.utf8.count <= maximumBytes else { return "is longer than \(maximumBytes) bytes" }
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            return "holds a space, a control character or a character outside ASCII"
        }
        guard let scheme = ["https://", "http://"].first(where: { text.lowercased().hasPrefix($0) }) else {
            return "is no http or https URL"
        }
        let authority = text.dropFirst(scheme.count).prefix { !"/?#\\".contains($0) }
        guard !authority.contains("@") else { return "carries a user name" }
        return isHost(authority) ? nil : "has no host"
    }

    /// Whether the text is a name, an IPv4 address or an IPv6 address in brackets, with or without a port.
    private static func isHost(_ authority: Substring) -> Bool {
        let end = authority.hasPrefix("[") ? authority.firstIndex(of: "]").map(authority.index(after:)) : authority.firstIndex(of: ":")
        guard let end = end ?? (authority.hasPrefix("[") ? nil : authority.endIndex) else { return false }
        let (host, port) = (authority[..<end].filter { !"[]".contains($0) }, authority[end...])
        let isPlain = host.allSatisfy { $0.isLetter || $0.isNumber || ".-_:".contains($0) }
        return !host.isEmpty && isPlain && (port.isEmpty || (port.hasPrefix(":") && UInt16(port.dropFirst()) != nil))
    }
}
