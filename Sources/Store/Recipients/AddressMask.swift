import TidingsCore
import TidingsJSON

/// Addresses of endpoints for readers who may recognise them and may not use them. A token, the subscription of a browser and the URL of a
/// webhook are capabilities: whoever has one can send to it. An e-mail address or a telephone number tells who the person is.
enum AddressMask {
    /// The characters of a token that stay, at its end. An operator's view shows as many.
    private static let shown = 8
    /// The characters from which on a token is long enough to show its end.
    private static let shortest = 24

    /// The digits of a telephone number that stay, at its end. An operator's view shows as many.
    private static let shownDigits = 4

    /// Returns the first letter and the domain of an e-mail address, the last digits of a telephone number, the origin of a URL, the end of
    /// a token, and nothing of a short token.
    ///
    /// - Parameters:
    ///   - channel: the channel of the address. Nil: the text says whether it is a URL or a token.
    ///   - identity: the part of a token that names the device. For the subscription of a browser it is a URL.
    static func masked(_ address: String, on channel: Channel? = nil, identity: String? = nil) -> String {
        switch channel {
        case .email: return address.lastIndex(of: "@").map { "\(address.prefix(1))…\(address[$0...])" } ?? "…"
        case .sms: return "…\(address.filter(\.isNumber).suffix(shownDigits))"
        case .webhook: return maskedURL(address) ?? "…"
        case .push, .local, .inApp, .webPush, nil: break
        }
        if let url = maskedURL(identity ?? address) { return url }
        // A subscription of a browser is JSON, and its end may be a key.
        guard address.utf8.first != UInt8(ascii: "{"), address.count >= shortest else { return "…" }
        return "…\(address.suffix(shown))"
    }

    /// The scheme, the host and the port of an address of HTTP. Nil for any other text.
    private static func maskedURL(_ text: String) -> String? {
        for scheme in ["https://", "http://"] where text.prefix(scheme.count).lowercased() == scheme {
            let authority = text.dropFirst(scheme.count).prefix { !"/?#".contains($0) }
            // Without a name and a password.
            let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
            return host.isEmpty ? "…" : "\(scheme)\(host)/…"
        }
        return nil
    }

    /// Masks the members `address` of a list of endpoints, and takes the members `identity` out.
    ///
    /// - Throws: ``ReportError`` for an endpoint without one of the two members: under another name an address would go out unmasked.
    static func mask(endpoints: [JSON], showingAddresses isWhole: Bool) throws(ReportError) -> JSON {
        var shown: [JSON] = []
        for endpoint in endpoints { shown.append(try mask(endpoint: endpoint, showingAddress: isWhole)) }
        return .array(shown)
    }

    private static func mask(endpoint: JSON, showingAddress isWhole: Bool) throws(ReportError) -> JSON {
        let address: String = try endpoint.column("address")
        let identity: String? = try endpoint.column("identity")
        var members = endpoint.objectValue ?? JSONObject()
        members["identity"] = nil
        let channel = endpoint["channel"]?.stringValue.flatMap(Channel.init(rawValue:))
        if !isWhole { members["address"] = .string(masked(address, on: channel, identity: identity)) }
        return .object(members)
    }

    /// Masks the e-mail addresses and telephone numbers in a list of endpoints. Tokens and URLs stay, so that an operator can compare them
    /// with those of an app or a receiver.
    ///
    /// - Throws: ``ReportError`` for an endpoint without its channel or its address.
    static func maskContacts(in endpoints: [JSON]) throws(ReportError) -> JSON {
        var shown: [JSON] = []
        for endpoint in endpoints {
            let (word, address): (String, String) = (try endpoint.column("channel"), try endpoint.column("address"))
            var members = endpoint.objectValue ?? JSONObject()
            switch Channel(rawValue: word) {
            case .email: members["address"] = .string(masked(address, on: .email))
            case .sms: members["address"] = .string(masked(address, on: .sms))
            case .push, .local, .inApp, .webPush, .webhook, nil: break
            }
            shown.append(.object(members))
        }
        return .array(shown)
    }

    /// Masks the member `value` of an address of a person.
    ///
    /// - Throws: ``ReportError`` for a row without the member or its kind.
    static func mask(address row: JSON) throws(ReportError) -> JSON {
        let value: String = try row.column("value")
        let kind: String = try row.column("kind")
        var members = row.objectValue ?? JSONObject()
        members["value"] = .string(masked(value, on: Channel(rawValue: kind)))
        return .object(members)
    }
}
