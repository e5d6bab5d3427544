/// Catalogue files for tests, as an operator would write them.
enum TestCatalogue {
    /// The types that most tests send.
    static let types = """
        types:
          orderUpdate:
            category: transactional
            allowsCritical: true
          promotion:
            category: marketing
          social:
            category: social
          securityAlert:
            category: social
            mandatory: true

        """

    /// A catalogue with these types only: everything else is built in.
    static let standard = types

    /// A catalogue with a push provider that accepts everything and needs no device. Push then comes before the inbox.
    static let withPush = types + serving(push)

    /// A catalogue with webhooks that may go to this machine, unsigned.
    static let withWebhook = types + serving(webhook)

    /// A catalogue with a provider of e-mail that accepts everything for an address.
    static let withEmail = types + serving(email)

    /// A catalogue with push, webhooks and the inbox: one of each kind of work.
    static let withEveryKind = types + serving(push, webhook)

    private typealias Binding = (channel: String, name: String, members: String)

    private static let inbox: Binding = ("inApp", "inbox", "kind: inbox")
    private static let push: Binding = ("push", "phone", #"kind: "null", addressing: person"#)
    private static let email: Binding = ("email", "mail", #"kind: "null", addressing: address"#)
    private static let webhook: Binding = (
        "webhook", "webhook",
        """
        kind: webhook, addressing: address, settings: {allowHTTP: "true", allowedPorts: any, allowedNetworks: 127.0.0.0/8, allowUnsigned: "true"}
        """
    )

    /// A provider for each of these channels and for the inbox, in the only market.
    private static func serving(_ others: Binding...) -> String {
        let bindings = others + [inbox]
        return """
            providers:
            \(bindings.map { "  \($0.name): {channel: \($0.channel), \($0.members)}" }.joined(separator: "\n"))
            markets:
              default:
            \(bindings.map { "    \($0.channel): [\($0.name)]" }.joined(separator: "\n"))
            defaultMarket: default

            """
    }
}
