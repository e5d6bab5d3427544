public import ArgumentParser
import TidingsCatalogue
public import TidingsCore
import TidingsJSON
import TidingsServer
import TidingsStore
import TidingsTimeZones

struct DeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device", abstract: "A person's devices: where push and local notifications go.",
        subcommands: [List.self, Register.self, Update.self, Remove.self, Plan.self, Ack.self])

    struct List: TidingsCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "A person's devices, also the gone ones; the device registered last comes first.")
        @Argument(help: "The person's id.") var recipient: String
        @Option var tenant = Intent.defaultTenant
        @OptionGroup var output: OutputOptions

        mutating func run(in context: CommandContext) async throws {
            let (recipient, tenant, format) = (recipient, tenant, output.format)
            try await withStore { store, _ in
                let devices = try await store.recipients.devices(of: recipient, tenant: tenant)
                Output.list(devices, as: format, empty: "\(recipient) has no device")
            }
        }
    }

    struct Register: TidingsCommand {
        static let configuration = CommandConfiguration(
            commandName: "register",
            abstract: "Register a device by its token, or confirm it. A token of another person moves to this person.",
            discussion: """
                A token alone means an iOS device of APNs in production, authorized, in the person's market. A token that the provider can \
                never send to is refused. A time zone, locale or app version that cannot be used is left out with a note. A person has at \
                most \(Store.devicesPerPerson) active devices. One device more retires the device registered longest ago.
                """)
        @Argument(help: "The person's id.") var recipient: String
        @Argument(help: "The token that the platform gave the app, a browser's subscription in JSON, or - to read it from standard input.")
        var token: String
        @Option var tenant = Intent.defaultTenant
        @OptionGroup var told: DeviceOptions
        @OptionGroup var output: OutputOptions

        mutating func run(in context: CommandContext) async throws {
            let (recipient, tenant, told, format) = (recipient, tenant, told, output.format)
            try checkPerson(recipient, tenant: tenant)
            let written = DeviceOptions.token(token)
            try await withStore { store, process in
                let catalogue = try await CatalogueSource(store, builtIn: .ofBinary).current.catalogue
                let tokens = DeviceTokens(context.providers, store: store, environment: process.environment)
                let settings = try told.settings(in: catalogue, issuers: tokens.issuers(in: catalogue), mayLeaveOutContext: true)
                let token = try await DeviceOptions.read {
                    try await tokens.read(written, settings, tenant: tenant, in: catalogue)
                }
                let device = try await store.recipients.register(token: token, of: recipient, tenant: tenant, settings)
                if let previous = device.movedFrom { Output.note("note: the token was \(previous)'s and has moved to \(recipient)") }
                guard let row = try await store.recipients.device(device.deviceID, tenant: tenant) else { return }
                Output.one(row, as: format)
            }
        }
    }

    struct Update: TidingsCommand {
        static let configuration = CommandConfiguration(
            commandName: "update", abstract: "Change the properties of a device. Properties that are not named stay.")
        @Argument(help: "The device's id.") var device: String
        @Option(help: "Its new token, or - to read it from standard input.") var token: String?
        @Option var tenant = Intent.defaultTenant
        @OptionGroup var told: DeviceOptions
        @OptionGroup var output: OutputOptions

        mutating func validate() throws {
            if token == nil, told.isEmpty { throw ValidationError("nothing to change: name a property, such as --permission or --locale") }
        }

        mutating func run(in context: CommandContext) async throws {
            let (device, tenant, told, format) = (device, tenant, told, output.format)
            let written = token.map(DeviceOptions.token)
            try await withStore { store, process in
                let catalogue = try await CatalogueSource(store, builtIn: .ofBinary).current.catalogue
                let tokens = DeviceTokens(context.providers, store: store, environment: process.environment)
                let settings = try told.settings(in: catalogue, issuers: tokens.issuers(in: catalogue), mayLeaveOutContext: written != nil)
                let token = try await DeviceOptions.read {
                    try await tokens.read(written, settings, of: device, tenant: tenant, in: catalogue)
                }
                guard try await store.recipients.change(device: device, tenant: tenant, token: token, settings),
                    let row = try await store.recipients.device(device, tenant: tenant)
                else { throw Failure.noDevice(device) }
                Output.one(row, as: format)
            }
        }
    }

    struct Remove: TidingsCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Unregister a device: nothing goes there until its app registers it again.")
        @Argument(help: "The device's id.") var device: String
        @Option var tenant = Intent.defaultTenant

        mutating func run(in context: CommandContext) async throws {
            let (device, tenant) = (device, tenant)
            try await withStore { store, _ in
                guard try await !store.recipients.unregister(device: device, tenant: tenant) else {
                    return Output.note("removed: nothing goes to the device until its app registers it again")
                }
                guard try await store.recipients.device(device, tenant: tenant) != nil else { throw Failure.noDevice(device) }
                Output.note("note: the device was gone already")
            }
        }
    }
}

/// The options for the facts that an app reports about a device.
struct DeviceOptions: ParsableArguments {
    @Option(help: "ios, android or web.") var platform: DevicePlatform?
    @Option(help: "The provider that issued the token, by name or kind, such as apns or fcm.") var provider: String?
    @Option(help: "production or sandbox.") var environment: DeviceEnvironment?
    @Option(help: "authorized, provisional, ephemeral, notDetermined or denied.") var permission: Permission?
    @Option(help: "A market of the catalogue; the word none takes the person's market.") var market: String?
    @Option(help: "IANA name, such as America/Mexico_City.") var timeZone: String?
    @Option(help: "BCP 47, such as es-MX.") var locale: String?
    @Option(help: "Such as 4.2.0.") var appVersion: String?

    /// Whether no option is given.
    var isEmpty: Bool {
        platform == nil && provider == nil && environment == nil && permission == nil
            && [market, timeZone, locale, appVersion].allSatisfy { $0 == nil }
    }

    /// Returns the options as settings. Context that cannot be used is left out with a note.
    ///
    /// - Parameter mayLeaveOutContext: false for a change of a known device without its token. Options of nothing but context are then
    ///   refused for their faults, because they are what the command changes.
    func settings(in catalogue: Catalogue, issuers: IssuerNames, mayLeaveOutContext: Bool) throws -> DeviceSettings {
        var settings = DeviceSettings(
            platform: platform, provider: provider?.ifPresent, environment: environment, permission: permission,
            market: market?.ifPresent.map { $0 == "none" ? nil : $0 }, timeZone: timeZone, locale: locale, appVersion: appVersion)
        var ignored: [DeviceFault] = []
        let isStrict = !mayLeaveOutContext && settings.isContextAlone
        let refused = try settings.settle(in: catalogue, issuers: issuers, strictly: isStrict, ignored: &ignored) {
            try TimeZoneDatabase.required().storedName(of: $0)
        }
        if let fault = refused.first { throw Self.failure(fault, catalogue) }
        for fault in ignored {
            let failure = Self.failure(fault, catalogue)
            Output.note("note: left out: \(failure.message)" + (failure.hint.map { "; \($0)" } ?? ""))
        }
        if let provider = settings.provider, !catalogue.providers.values.contains(where: { $0.name == provider || $0.kind == provider }) {
            Output.note("note: the catalogue has no provider \(provider), by name or kind: until it has, nothing is pushed to the device")
        }
        return settings
    }

    private static func failure(_ fault: DeviceFault, _ catalogue: Catalogue) -> Failure {
        switch fault {
        case .provider(let name): Failure(.data, "--provider \(Table.cell(.string(name))) is no name of a provider or kind")
        case .misspelledProvider(let name, let nearest):
            Failure(.data, "--provider \(name) is neither a provider of the catalogue nor a kind", hint: "did you mean \(nearest)?")
        case .market(let name): Failure(.data, "unknown market \(name)", hint: catalogue.markets.keys.sorted().joined(separator: ", "))
        case .timeZone(let name): Failure(.data, "unknown time zone \(name)", hint: "an IANA name, such as America/New_York")
        case .locale(let tag):
            Failure(.data, "--locale \(Table.cell(.string(tag))) is no language tag", hint: "BCP 47, such as es-MX or zh-Hant-TW")
        case .longLocale: Failure(.data, "--locale is longer than \(DeviceSettings.longestText) bytes")
        case .damagedAppVersion: Failure(.data, "--app-version has a character that cannot be stored")
        case .longAppVersion: Failure(.data, "--app-version is longer than \(DeviceSettings.longestText) bytes")
        }
    }

    /// Returns the text of a token: the argument, or for `-` the text of standard input.
    static func token(_ argument: String) -> String { argument == "-" ? standardInput() : argument }

    /// Calls a reader of tokens. A text that is no token of its issuer becomes a failure with the next step.
    static func read<Token>(_ reader: () async throws -> Token) async throws -> Token {
        do {
            return try await reader()
        } catch let fault as DeviceToken.Fault {
            throw Failure(
                .data, fault.description,
                hint: "--platform and --provider say whose token it is; a browser's is JSON.stringify(subscription)")
        }
    }

    /// Bytes after which reading stops: many times a subscription with all its spaces.
    private static let longestInput = 64 << 10

    private static func standardInput() -> String {
        var text = ""
        while text.utf8.count < longestInput, let line = readLine(strippingNewline: false) { text += line }
        return text
    }
}

extension DevicePlatform: ExpressibleByArgument {}
extension DeviceEnvironment: ExpressibleByArgument {}
extension Permission: ExpressibleByArgument {}

extension Failure {
    static func noDevice(_ id: String) -> Failure {
        Failure(.bad, "there is no device \(id)", hint: "tidings device list <recipient> names them")
    }
}
