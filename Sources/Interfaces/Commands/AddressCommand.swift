public import ArgumentParser
import TidingsCatalogue
public import TidingsCore
import TidingsJSON
import TidingsServer
import TidingsStore

/// The places beside devices where a person can be reached.
struct AddressCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "address", abstract: "A person's e-mail addresses, telephone numbers and webhook.",
        subcommands: [List.self, Set.self, Remove.self, Verify.self, Suppress.self])

    struct List: TidingsCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "A person's addresses, with consent, verification and suppression. The values are masked.")
        @Argument(help: "The person's id.") var recipient: String
        @Option var tenant = Intent.defaultTenant
        @OptionGroup var output: OutputOptions

        mutating func run(in context: CommandContext) async throws {
            let (person, format) = (RecipientKey(tenant: tenant, id: recipient), output.format)
            try await withStore { store, _ in
                Output.list(try await store.addresses.list(of: person), as: format, empty: "\(person.id) has no address beside devices")
            }
        }
    }

    struct Set: TidingsCommand {
        static let configuration = CommandConfiguration(
            commandName: "set", abstract: "Store an address, or new facts of a known one. The person may be new to Tidings.",
            discussion: """
                Another spelling of an address is the same address, and a suppressed address stays suppressed. A person has at most \
                \(Store.addressesPerKind) e-mail addresses and as many telephone numbers. A person has one webhook: another URL takes its \
                place, and ends a suppression.
                """)
        @Argument(help: "The person's id.") var recipient: String
        @Argument(help: "email, sms or webhook.") var kind: AddressKind
        @Argument(help: "The address; a telephone number begins with + and the code of its country.") var value: String
        @Option var tenant = Intent.defaultTenant
        @Option(help: "granted, denied or unknown: the person's answer to messages at this address.") var consent: Consent?
        @Option(help: "The place that the address comes from, such as the name of a form.") var source: String?
        @Flag(help: "The person is known to have the address.") var verified = false
        @Option(help: "env:NAME or file:PATH of a webhook's whsec_ secret; repeat it during a rotation. Without it, the stored one stays.")
        var secret: [String] = []
        @OptionGroup var output: OutputOptions

        mutating func run(in context: CommandContext) async throws {
            let (person, format) = (try AddressCommand.person(recipient, tenant: tenant), output.format)
            let source = try source?.ifPresent.map { try AddressCommand.checked($0, of: "--source") }
            let facts = AddressFacts(source: source ?? AddressFacts.operatorSource, consent: consent, isVerified: verified)
            guard kind == .webhook || secret.isEmpty else { throw Failure(.usage, "--secret goes with a webhook") }
            if kind == .webhook { try WebhookURL.check(value, of: "the URL") }
            let (address, secrets) = (
                try AddressCommand.read(kind, value), try secret.map { try WebhookSecret.read($0, option: "--secret") }
            )
            try await withStore { store, settings in
                if address.kind == .webhook {
                    let catalogue = try await CatalogueSource(store, builtIn: .ofBinary).current.catalogue
                    try WebhookURL.checkCalls(
                        to: address.value, of: "the URL", in: catalogue, context.providers, environment: settings.environment)
                }
                guard let id = try await store.addresses.set(address, secrets: secrets, of: person, facts) else {
                    throw Failure(
                        .bad, "the person has \(Store.addressesPerKind) other addresses of the kind \(address.kind.rawValue)",
                        hint: "tidings address list names them, and tidings address remove makes room")
                }
                if address.kind == .webhook, try await !store.addresses.hasWebhookSecret(person) {
                    Output.note("note: no --secret: sends fail as misconfigured unless the provider's allowUnsigned is set")
                }
                try await AddressCommand.show(id, of: person, in: store, as: format)
            }
        }
    }

    struct Remove: TidingsCommand {
        static let configuration = CommandConfiguration(commandName: "remove", abstract: "Delete an address of a person.")
        @OptionGroup var target: AddressTarget

        mutating func run(in context: CommandContext) async throws {
            let target = target
            try await withStore { store, _ in
                guard try await store.addresses.remove(target.address, of: target.person) else { throw Failure.noAddress(target.address) }
                Output.note("removed: nothing goes to the address any more")
            }
        }
    }

    struct Verify: TidingsCommand {
        static let configuration = CommandConfiguration(
            commandName: "verify", abstract: "Note that the person has the address, such as after a click on a link that was sent there.")
        @OptionGroup var target: AddressTarget
        @OptionGroup var output: OutputOptions

        mutating func run(in context: CommandContext) async throws {
            try await AddressCommand.change(target, as: output.format) { _ in AddressChanges(isVerified: true) }
        }
    }

    struct Suppress: TidingsCommand {
        static let configuration = CommandConfiguration(
            commandName: "suppress", abstract: "Send nothing to an address for a while, or end that with --lift.",
            usage: """
                tidings address suppress <recipient> <address> --reason <text> [--for <duration>]
                tidings address suppress <recipient> <address> --lift
                """)
        @OptionGroup var target: AddressTarget
        @Option(help: "The reason, as every list shows it.") var reason: String?
        @Option(name: .customLong("for"), help: "How long, such as 2h or 30d; without it, until it is lifted.") var duration: String?
        @Flag(help: "End the suppression.") var lift = false
        @OptionGroup var output: OutputOptions

        mutating func validate() throws {
            if lift, reason != nil || duration != nil { throw ValidationError("--lift goes without --reason and --for") }
            if !lift, reason == nil { throw ValidationError("give the --reason, or --lift to end a suppression") }
        }

        mutating func run(in context: CommandContext) async throws {
            let reason = try reason.map { try AddressCommand.checked($0, of: "--reason") }
            let duration = try duration.map(Self.duration)
            try await AddressCommand.change(target, as: output.format) { now in
                let suppression = reason.map { AddressSuppression(because: $0, until: duration.map { now.adding($0) }) }
                return AddressChanges(suppression: .some(suppression))
            }
        }

        private static func duration(_ text: String) throws -> Duration {
            guard let duration = DurationText.parse(text), duration > .zero, duration <= AddressSuppression.longest else {
                throw Failure(.data, "--for \(text) is no duration up to ten years", hint: "90s, 15m, 2h or 30d")
            }
            return duration
        }
    }
}

/// An address of a person, as the user typed it.
struct AddressTarget: ParsableArguments {
    @Argument(help: "The person's id.") var recipient: String
    @Argument(help: "The id of the address, as tidings address list shows it; webhook for the webhook.") var address: String
    @Option var tenant = Intent.defaultTenant

    var person: RecipientKey { RecipientKey(tenant: tenant, id: recipient) }
}

extension AddressCommand {
    fileprivate static func person(_ id: String, tenant: String) throws -> RecipientKey {
        try checkPerson(id, tenant: tenant)
        return RecipientKey(tenant: tenant, id: id)
    }

    fileprivate static func read(_ kind: AddressKind, _ value: String) throws -> Address {
        do throws(Address.Fault) {
            return try Address(kind, value)
        } catch {
            throw Failure(.data, "the address cannot be stored: \(error)")
        }
    }

    /// Returns a text beside an address. Throws a ``Failure`` with exit code 65 if it is empty or too long.
    fileprivate static func checked(_ text: String, of option: String) throws -> String {
        guard text.contains(where: { !$0.isWhitespace }), text.utf8.count <= Address.longestText else {
            throw Failure(.data, "\(option) must be a text of 1 to \(Address.longestText) bytes")
        }
        return text
    }

    /// Changes an address and prints it. The changes may depend on the time of the database.
    fileprivate static func change(
        _ target: AddressTarget, as format: OutputFormat, _ changes: @Sendable (Timestamp) -> AddressChanges
    ) async throws {
        try await withStore { store, _ in
            guard try await store.addresses.change(target.address, of: target.person, changes(store.clock.now())) else {
                throw Failure.noAddress(target.address)
            }
            try await show(target.address, of: target.person, in: store, as: format)
        }
    }

    fileprivate static func show(_ id: String, of person: RecipientKey, in store: Store, as format: OutputFormat) async throws {
        let rows = try await store.addresses.list(of: person)
        let row = try rows.first { try $0.column("address_id", as: String.self) == id }
        guard let row else { throw Failure.noAddress(id) }
        Output.one(row, as: format)
    }
}

extension AddressKind: ExpressibleByArgument {}
extension Consent: ExpressibleByArgument {}

extension Failure {
    fileprivate static func noAddress(_ id: String) -> Failure {
        Failure(.bad, "the person has no address \(id)", hint: "tidings address list <recipient> names them")
    }
}
