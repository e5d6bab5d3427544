import TidingsCore
import TidingsJSON

/// Writes a catalogue as YAML, sorted by name. Settings of a type that have their standard value are left out.
struct CataloguePrinter {
    /// The advice to a person who edits the file. It is not part of the hash.
    static let header = """
        # The catalogue: which notifications exist, how they travel and which providers carry them.
        #
        #   tidings catalogue check my.yaml     says what is wrong with this file, line by line
        #   tidings catalogue apply my.yaml     makes it the active one for every role
        #
        # A type that is not in "types" does not exist. A category, or a setting of one, takes
        # the built-in policy. The sections "markets", "providers", "producers" and "features" take the built-in ones when left out as a whole.
        # Durations: 90s, 15m, 2h, 3d, 1h30m. Channels: push, local, inApp, email, sms, webPush, webhook.
        # Secrets never stand here: write env:NAME or file:/path.
        # A producer is an AMQP user, a role of the database ("db:shop": [acme]) or an API key ("key:shop": [acme]). With more than tenants:
        # a mapping, shop: {tenants: [acme], sources: ["/shop"]}. With "vouches: true" the router believes the producer that messages of this
        # user name.
        # With any producer here, a message without a validated user_id is refused.


        """

    static func body(of catalogue: Catalogue) -> String {
        var writer = YAMLWriter()
        writer.comment(
            """
            Every notification type. Only "category" is required. "schema" is a JSON Schema (2020-12) of the intent's data; "title"
            and "body" are used when the intent gives none, with {{field}} for a field of the data.
            """)
        writer.section("types") { writer in
            for (_, type) in catalogue.types.sorted(by: { $0.key < $1.key }) { write(type, to: &writer) }
        }
        writer.blankLine()
        writer.comment(
            """
            The settings that a category gives to its types. "quietHours": hold, drop, inAppOnly or ignore. "unknownOutcome" is what happens
            when nobody can say whether a provider got a delivery: resend or stop.
            """)
        writer.section("categories") { writer in
            for category in Category.allCases { write(catalogue.policy(for: category), of: category, to: &writer) }
        }
        writer.blankLine()
        writer.comment(
            """
            The providers of each channel in a market, the preferred one first: a list, if all of them send, or "providers" with a "strategy".
            "first": one does, the next takes over when it cannot. "weighted": each person has one of their own, by "weights".
            """)
        writer.section("markets") { writer in
            for (name, market) in catalogue.markets.sorted(by: { $0.key < $1.key }) {
                writer.section(name) { writer in
                    for (channel, providers) in market.providers.sorted(by: { $0.key < $1.key }) {
                        write(providers, market.strategy(for: channel), of: channel, to: &writer)
                    }
                }
            }
        }
        writer.line("defaultMarket", catalogue.defaultMarket)
        writer.blankLine()
        writer.comment(
            """
            The configured carriers. "addressing": person, device or address. "copy: true" gets a copy of everything on its channel.
            """)
        writer.section("providers") { writer in
            for (_, provider) in catalogue.providers.sorted(by: { $0.key < $1.key }) { write(provider, to: &writer) }
        }
        writer.blankLine()
        writer.comment(
            """
            Which tenants a producer, by AMQP user, may name. With no entry at all any user may name any tenant; with one, a user that is not
            here may name only "default".
            """)
        writer.section("producers") { writer in
            for (name, producer) in catalogue.producers.sorted(by: { $0.key < $1.key }) { write(producer, named: name, to: &writer) }
        }
        if !catalogue.features.isEmpty {
            writer.blankLine()
            // The hash of each stored catalogue has these words, so they stay.
            writer.comment("Settings of the likes of a dating app, which the app reads from the server.")
            writer.section("features") { writer in
                for (name, value) in catalogue.features.sorted(by: { $0.key < $1.key }) { writer.line(name, verbatim: "\(value)") }
            }
        }
        return writer.text
    }

    /// Writes a list of tenants if the producer has nothing else, because releases before the mapping read only a list.
    private static func write(_ producer: ProducerEntry, named name: String, to writer: inout YAMLWriter) {
        let tenants = producer.tenants.sorted()
        if producer.sources.isEmpty, !producer.vouches { return writer.line(name, list: tenants) }
        writer.section(name) { writer in
            if !tenants.isEmpty { writer.line("tenants", list: tenants) }
            if !producer.sources.isEmpty { writer.line("sources", list: producer.sources.sorted()) }
            if producer.vouches { writer.line("vouches", verbatim: "true") }
        }
    }

    private static func write(_ providers: [String], _ strategy: ProviderStrategy, of channel: Channel, to writer: inout YAMLWriter) {
        if strategy == .all { return writer.line(channel.rawValue, list: providers) }
        writer.section(channel.rawValue) { writer in
            writer.line("providers", list: providers)
            writer.line("strategy", strategy.name.rawValue)
            guard case .weighted(let weights) = strategy else { return }
            writer.section("weights") { writer in
                for (provider, weight) in weights.sorted(by: { $0.key < $1.key }) { writer.line(provider, verbatim: String(weight)) }
            }
        }
    }

    private static func write(_ type: NotificationType, to writer: inout YAMLWriter) {
        writer.section(type.name) { writer in
            writer.line("category", type.category.rawValue)
            if let channels = type.channels { writer.line("channels", list: channels.map(\.rawValue)) }
            if !type.channelsByMarket.isEmpty {
                writer.section("channelsByMarket") { writer in
                    for (market, channels) in type.channelsByMarket.sorted(by: { $0.key < $1.key }) {
                        writer.line(market, list: channels.map(\.rawValue))
                    }
                }
            }
            if let title = type.titleTemplate { writer.line("title", title) }
            if let body = type.bodyTemplate { writer.line("body", body) }
            if type.icon != NotificationType.defaultIcon { writer.line("icon", type.icon) }
            if type.color != NotificationType.defaultColor { writer.line("color", type.color) }
            if let deepLink = type.deepLink { writer.line("deepLink", deepLink) }
            if let lane = type.lane { writer.line("lane", lane.rawValue) }
            if let expiry = type.expiry { writer.line("expiry", verbatim: DurationText.print(expiry)) }
            if type.mandatory { writer.line("mandatory", verbatim: "true") }
            if type.allowsCritical { writer.line("allowsCritical", verbatim: "true") }
            if type.silent { writer.line("silent", verbatim: "true") }
            if let level = type.interruptionLevel { writer.line("interruptionLevel", level.rawValue) }
            if let projection = type.projection { writer.line("projection", projection) }
            if let text = type.schemaJSON, let schema = try? JSON.parse(text) { writer.line("schema", json: schema) }
        }
    }

    private static func write(_ policy: CategoryPolicy, of category: Category, to writer: inout YAMLWriter) {
        writer.section(category.rawValue) { writer in
            writer.line("channels", list: policy.channels.map(\.rawValue))
            writer.line("lane", policy.lane.rawValue)
            writer.line("quietHours", policy.quietHours.rawValue)
            writer.line("unknownOutcome", policy.unknownOutcome.rawValue)
            let (base, cap) = (DurationText.print(policy.retry.base), DurationText.print(policy.retry.cap))
            writer.line("retry", verbatim: "{attempts: \(policy.retry.maximumAttempts), base: \(base), cap: \(cap)}")
            writer.line("expiry", verbatim: DurationText.print(policy.expiry))
        }
    }

    private static func write(_ provider: ProviderBinding, to writer: inout YAMLWriter) {
        writer.section(provider.name) { writer in
            writer.line("channel", provider.channel.rawValue)
            writer.line("kind", provider.kind)
            writer.line("addressing", provider.addressing.rawValue)
            if provider.copy { writer.line("copy", verbatim: "true") }
            if !provider.settings.isEmpty {
                writer.section("settings") { writer in
                    for (setting, value) in provider.settings.sorted(by: { $0.key < $1.key }) { writer.line(setting, value) }
                }
            }
        }
    }
}
