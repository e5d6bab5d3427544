import ArgumentParser
import TidingsCatalogue
import TidingsCore
import TidingsJSON
import TidingsServer
import TidingsStore
import TidingsTimeZones

struct RecipientCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recipient", abstract: "A person's preferences, zone, quiet hours and webhook; export and erasure.",
        subcommands: [Show.self, Set.self, Export.self, Erase.self, Erasure.self, Readmit.self])

    struct Show: TidingsCommand {
        static let configuration = CommandConfiguration(commandName: "show", abstract: "The stored settings.")
        @Argument var id: String
        @Option var tenant = Intent.defaultTenant
        @OptionGroup var output: OutputOptions

        mutating func run(in context: CommandContext) async throws {
            let (id, tenant, format) = (id, tenant, output.format)
            try await withStore { store, _ in
                guard let found = try await store.recipients.row(id, tenant: tenant) else {
                    throw Failure(.bad, "nothing is stored for \(id)", hint: "defaults hold: every channel on, UTC, no quiet hours")
                }
                Output.one(found, as: format)
            }
        }
    }

    struct Set: TidingsCommand {
        static let configuration = CommandConfiguration(
            commandName: "set", abstract: "Change settings. Settings that are not named stay. The person may be new to Tidings.",
            discussion: "A webhook's signing secret is read from the environment variable or file that --webhook-secret names.")
        @Argument var id: String
        @Option var tenant = Intent.defaultTenant
        @Option(help: "IANA name, such as Europe/Paris, or an offset of whole hours, such as GMT+0200.") var timeZone: String?
        @Option(help: "HH:MM-HH:MM in the person's zone; none removes them.") var quietHours: String?
        @Option(help: "A market of the catalogue; none removes it.") var market: String?
        @Option(
            help: "channel=on|off, category=on|off or type=on|off; type:NAME=on|off for a type with the name of a category; repeat it.")
        var prefer: [String] = []
        @Option(help: "An https URL; none removes it.") var webhook: String?
        @Option(help: "env:NAME or file:PATH of a whsec_ secret; repeat it during a rotation. Without it, the stored one stays.")
        var webhookSecret: [String] = []

        /// The settings that the options name, in words. An option whose value is empty names none.
        private var named: [String] {
            [
                (timeZone?.ifPresent != nil, "time zone"), (quietHours != nil, "quiet hours"), (market?.ifPresent != nil, "market"),
                (!prefer.isEmpty, "preferences"), (webhook != nil || !webhookSecret.isEmpty, "webhook"),
            ].filter(\.0).map(\.1)
        }

        mutating func validate() throws {
            if named.isEmpty, timeZone == nil, market == nil {
                throw ValidationError("nothing to change: name a setting, such as --time-zone or --prefer")
            }
        }

        mutating func run(in context: CommandContext) async throws {
            let (id, tenant, named) = (id, tenant, named)
            try checkPerson(id, tenant: tenant)
            guard !named.isEmpty else { return Output.note("nothing to change: the options are empty") }
            let draft = try changes()
            let (prefer, market) = (prefer, market?.ifPresent)
            try await withStore { store, settings in
                let catalogue = try await CatalogueSource(store, builtIn: .ofBinary).current.catalogue
                var changes = draft
                if case .some(.some(let webhook)) = changes.webhook {
                    try WebhookURL.checkCalls(
                        to: webhook.url, of: "--webhook", in: catalogue, context.providers, environment: settings.environment)
                }
                if let market, market != "none", catalogue.markets[market] == nil {
                    throw Failure(.data, "unknown market \(market)", hint: catalogue.markets.keys.sorted().joined(separator: ", "))
                }
                for choice in prefer { try changes.apply(choice, types: catalogue.types) }
                try await store.recipients.change(id, tenant: tenant, changes)
                Output.note("stored for \(Table.cell(.string(id))): \(named.joined(separator: ", "))")
                if case .some(.some) = changes.webhook, try await !store.addresses.hasWebhookSecret(RecipientKey(tenant: tenant, id: id)) {
                    Output.note("note: no --webhook-secret: sends fail as misconfigured unless the provider's allowUnsigned is set")
                }
            }
        }

        private func changes() throws -> RecipientChanges {
            var changes = RecipientChanges()
            if let timeZone = timeZone?.ifPresent {
                changes.timeZone = try TimeZoneDatabase.required().storedName(of: timeZone)
                guard changes.timeZone != nil else {
                    throw Failure(.data, "unknown time zone \(timeZone)", hint: "an IANA name, such as America/New_York")
                }
            }
            if let quietHours { changes.quietHours = .some(try Self.quietHours(quietHours)) }
            if let market = market?.ifPresent { changes.market = .some(market == "none" ? nil : market) }
            if let webhook {
                if webhook == "none" {
                    changes.webhook = .some(nil)
                } else {
                    try WebhookURL.check(webhook, of: "--webhook")
                    let secrets = try webhookSecret.map { try WebhookSecret.read($0, option: "--webhook-secret") }
                    changes.webhook = .some(WebhookEndpoint(url: webhook, secrets: secrets))
                }
            } else if !webhookSecret.isEmpty {
                throw Failure(.usage, "--webhook-secret goes with --webhook")
            }
            return changes
        }

        private static func quietHours(_ text: String) throws -> QuietHours? {
            if text == "none" { return nil }
            let parts = text.split(separator: "-").map(String.init)
            guard parts.count == 2 else { throw Failure(.data, "--quiet-hours \(text) is not HH:MM-HH:MM") }
            do {
                return try QuietHours.parse(start: parts[0], end: parts[1])
            } catch {
                throw Failure(.data, "--quiet-hours \(text): \(error)")
            }
        }
    }
}

extension RecipientChanges {
    /// Applies `name=on` or `name=off`, where the name is a channel, a category or a type.
    mutating func apply(_ choice: String, types: [String: NotificationType]) throws {
        let parts = choice.split(separator: "=").map(String.init)
        guard parts.count == 2, ["on", "off"].contains(parts[1]) else {
            throw Failure(.data, "--prefer \(choice) is not name=on or name=off")
        }
        let isOn = parts[1] == "on"
        // A category wins over a type of the same name, such as social. `type:` names the type: no name of a type has a colon.
        if parts[0].hasPrefix("type:") {
            let name = String(parts[0].dropFirst("type:".count))
            guard types[name] != nil else {
                let hint = NearestName.of(name, among: types.keys).map { "did you mean type:\($0)?" }
                throw Failure(.data, "\(name) is no type of the catalogue", hint: hint)
            }
            isOn ? enableTypes.append(name) : disableTypes.append(name)
        } else if let channel = Channel(rawValue: parts[0]) {
            isOn ? enableChannels.append(channel) : disableChannels.append(channel)
        } else if let category = Category(rawValue: parts[0]), types[parts[0]] == nil || parts[0] == category.rawValue {
            isOn ? enableCategories.append(category) : disableCategories.append(category)
        } else if types[parts[0]] != nil {
            isOn ? enableTypes.append(parts[0]) : disableTypes.append(parts[0])
        } else {
            throw Failure(.data, "\(parts[0]) is no channel, category or type of the catalogue")
        }
    }
}
