import ArgumentParser
import Glibc
import TidingsCatalogue
import TidingsCore
import TidingsJSON
import TidingsServer
import TidingsStore

/// Stops a channel, provider, type or tenant for a while.
struct PauseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Stop a channel, provider, type or tenant for a while: its deliveries wait, and are neither lost nor failed.",
        usage: """
            tidings pause channel|provider|type|tenant <name> --reason <text> [--for <duration>] [--no-check]
            tidings pause list [--all]
            """,
        discussion: """
            Every role follows within a second. Paused deliveries, also queued ones, are held with the reason paused. A call that is out at
            this moment ends. The deliveries go on after `tidings resume`, or at the end of --for, judged by the preferences, quiet hours
            and expiry of that moment. Deliveries that expire meanwhile end as expired. Pausing again changes the reason and the end.
            """,
        subcommands: [Begin.self, List.self], defaultSubcommand: Begin.self)

    struct Begin: TidingsCommand {
        static let configuration = CommandConfiguration(commandName: "begin", abstract: "Pause one thing.", shouldDisplay: false)
        @OptionGroup var target: PauseTarget
        @Option(help: "The reason, as every explanation shows it.") var reason: String
        @Option(name: .customLong("for"), help: "How long, such as 30m or 2h; without it, until `tidings resume`.") var duration: String?
        @Flag(help: "Pause a type, provider or tenant even if nothing is known of it yet.") var noCheck = false
        @OptionGroup var author: PauseAuthor
        @OptionGroup var output: OutputOptions

        /// The longest reason in bytes. A reason stands in a table's cell and in every explanation.
        private static let longestReason = 500
        /// The longest pause: a year. To stop something for longer, remove it from the catalogue.
        private static let longest = Duration.seconds(366 * 86_400)

        mutating func run(in context: CommandContext) async throws {
            let (target, author, format) = (try target.checked(), try author.checked(), output.format)
            let (reason, noCheck) = (reason, noCheck)
            guard reason.contains(where: { !$0.isWhitespace }), reason.utf8.count <= Self.longestReason, !reason.contains("\0") else {
                throw Failure(.data, "--reason must be a text of 1 to \(Self.longestReason) bytes")
            }
            let duration = try duration.map(Self.duration)
            try await withStore { store, _ in
                if !noCheck { try await target.check(in: store) }
                guard let row = try await store.pausing.pause(target.scope, target.name, reason: reason, by: author, for: duration) else {
                    throw Failure(.bad, "\(Pauses.limit) pauses are in force, and no more are possible", hint: "tidings pause list")
                }
                if format != .text { return Output.one(row, as: format) }
                let end = try row.column("until_at", as: String?.self).map { "until \($0)" } ?? "until `tidings resume \(target)`"
                Output.note("paused \(target) \(end); every role follows within a second")
            }
        }

        private static func duration(_ text: String) throws -> Duration {
            guard let duration = DurationText.parse(text), duration > .zero, duration <= longest else {
                throw Failure(.data, "--for \(text) is no duration up to a year", hint: "90s, 15m, 2h or 3d")
            }
            return duration
        }
    }

    struct List: TidingsCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "The pauses: since when, why, and how many deliveries wait.")
        @Flag(help: "Also the pauses that are over.") var all = false
        @OptionGroup var list: ListOptions
        @OptionGroup var output: OutputOptions

        mutating func run(in context: CommandContext) async throws {
            let (all, limit, format) = (all, list.limit, output.format)
            try await withStore { store, _ in
                let pauses = try await all ? store.pausing.listWithPast(limit: limit) : store.pausing.list(limit: limit)
                Output.list(pauses, as: format, empty: all ? "nothing was paused" : "nothing is paused")
            }
        }
    }
}

/// Ends a pause.
struct ResumeCommand: TidingsCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "End a pause: its deliveries go on at once. Exit 1 if the thing is not paused.")

    @OptionGroup var target: PauseTarget
    @OptionGroup var author: PauseAuthor
    @OptionGroup var output: OutputOptions

    mutating func run(in context: CommandContext) async throws {
        let (target, author, format) = (try target.checked(), try author.checked(), output.format)
        try await withStore { store, _ in
            guard let row = try await store.pausing.resume(target.scope, target.name, by: author) else {
                throw Failure(.bad, "\(target) is not paused", hint: "tidings pause list")
            }
            if format != .text { return Output.one(row, as: format) }
            Output.note("resumed \(target): \(try row.column("deliveries", as: Int.self)) deliveries go on")
        }
    }
}

/// The target of a pause or a resume, as the user typed it.
struct PauseTarget: ParsableArguments {
    @Argument(help: "channel, provider, type or tenant.") var scope: String
    @Argument(help: "Its name.") var name: String

    /// The longest name in bytes. Producers may make names of tenants this long.
    private static let longestName = 256

    /// Throws a ``Failure`` with exit code 65 for an unknown scope, an unknown channel, or a name that is empty, too long or has a NUL.
    func checked() throws -> CheckedPauseTarget {
        try Choices.check(scope, of: "scope", isOneOf: Pause.Scope.allCases.map(\.rawValue))
        let scope = Pause.Scope(rawValue: scope) ?? .channel
        if scope == .channel { try Choices.check(name, of: "channel", isOneOf: Channel.allCases.map(\.rawValue)) }
        guard !name.isEmpty, name.utf8.count <= Self.longestName, !name.contains("\0") else {
            throw Failure(.data, "the name of a \(scope.rawValue) has 1 to \(Self.longestName) bytes")
        }
        return CheckedPauseTarget(scope: scope, name: name)
    }
}

struct CheckedPauseTarget: Sendable, CustomStringConvertible {
    let scope: Pause.Scope
    let name: String

    var description: String { "\(scope.rawValue) \(name)" }

    /// Throws a ``Failure`` with exit code 65 if nothing is known of the type, provider or tenant. Its pause would hold nothing, but the
    /// user would believe that it does.
    func check(in store: Store) async throws {
        if scope == .channel { return }
        let catalogue = try await CatalogueSource(store, builtIn: .ofBinary).current.catalogue
        let known: Set<String> =
            switch scope {
            case .channel: []
            case .type: Set(catalogue.types.keys)
            case .provider: Set(catalogue.providers.keys)
            case .tenant:
                try await store.pausing.knownTenants(like: name)
                    .union(catalogue.producers.values.flatMap(\.tenants)).union([Intent.defaultTenant])
            }
        guard !known.contains(name) else { return }
        let nearest = NearestName.of(name, among: known.sorted()).map { "did you mean \($0)?" }
        guard scope == .tenant else { throw Failure(.data, "the catalogue has no \(self)", hint: nearest ?? "tidings catalogue show") }
        throw Failure(
            .data, "\(self) has no person, no notification, no API key and no producer",
            hint: (nearest.map { "\($0) " } ?? "") + "--no-check pauses it ahead of its first notification")
    }
}

/// The author of a change, for the record.
struct PauseAuthor: ParsableArguments {
    @Option(help: "The author of the change; by default this user and this host.") var by: String?

    private static let longest = 200

    func checked() throws -> String {
        let name = by ?? "\(Self.userName())@\(RolesService.hostName())"
        guard !name.isEmpty, name.utf8.count <= Self.longest, !name.contains("\0") else {
            throw Failure(.data, "--by has 1 to \(Self.longest) bytes")
        }
        return name
    }

    /// The name of this user. Under sudo it is the user who called sudo, not root.
    private static func userName() -> String {
        if let caller = Settings.processEnvironment()["SUDO_USER"], !caller.isEmpty { return caller }
        guard let entry = getpwuid(getuid()), let name = entry.pointee.pw_name else { return "user \(getuid())" }
        return String(cString: name)
    }
}
