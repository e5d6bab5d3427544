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

    /// Only those types: everything else is built in.
    static let standard = types

    /// A push provider that accepts everything and needs no device, so that something comes before the inbox.
    static let withPush =
        types + """
            providers:
              inbox:
                channel: inApp
                kind: inbox
              phone:
                channel: push
                kind: "null"
                addressing: person
            markets:
              default:
                push: [phone]
                inApp: [inbox]
            defaultMarket: default

            """

    /// Webhooks that may go to this machine, unsigned.
    static let withWebhook =
        types + """
            providers:
              inbox:
                channel: inApp
                kind: inbox
              webhook:
                channel: webhook
                kind: webhook
                addressing: address
                settings:
                  allowHTTP: "true"
                  allowedPorts: any
                  allowedNetworks: 127.0.0.0/8
                  allowUnsigned: "true"
            markets:
              default:
                inApp: [inbox]
                webhook: [webhook]
            defaultMarket: default

            """

    /// A push provider that accepts everything, the inbox, and webhooks that may go to this machine: one of each kind of work.
    static let withEveryKind =
        types + """
            providers:
              inbox:
                channel: inApp
                kind: inbox
              phone:
                channel: push
                kind: "null"
                addressing: person
              webhook:
                channel: webhook
                kind: webhook
                addressing: address
                settings:
                  allowHTTP: "true"
                  allowedPorts: any
                  allowedNetworks: 127.0.0.0/8
                  allowUnsigned: "true"
            markets:
              default:
                push: [phone]
                inApp: [inbox]
                webhook: [webhook]
            defaultMarket: default

            """
}
