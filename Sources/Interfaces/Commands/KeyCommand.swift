import ArgumentParser
import TidingsCatalogue
import TidingsCore
import TidingsJSON
import TidingsServer
import TidingsStore

/// Keys with which backends and operators call the HTTP API.
struct KeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key", abstract: "Keys with which backends call the HTTP API.",
        discussion: """
            A key is printed once, when it is made or rotated. Tidings keeps only its digest. A backend sends it as the header \
            "Authorization: Bearer KEY". The events that come with a key have the producer key:NAME in the catalogue and in refused events.
            """,
        subcommands: [Create.self, List.self, Rotate.self, Revoke.self])

    struct Create: TidingsCommand {
        static let configuration = CommandConfiguration(commandName: "create", abstract: "Make a key, and print it once.")
        @Option(help: "Its name, which no other key in force has.") var name: String
        @Option(help: "A scope that the key allows; repeat it: \(KeyCommand.scopes.joined(separator: ", ")).") var scope: [String]
        @Option(help: "The tenant that the key may name; * for every tenant.") var tenant = Intent.defaultTenant
        @Option(help: "How long the key is valid, such as 90d; without it, until it is revoked.") var expiresIn: String?
        @OptionGroup var author: PauseAuthor
        @OptionGroup var output: OutputOptions

        mutating func run(in context: CommandContext) async throws {
            let (name, tenant, author, format) = (name, tenant, try author.checked(), output.format)
            guard CatalogueNames.isName(name) else { throw Failure(.data, "--name \(name) is not \(CatalogueNames.nameRule)") }
            guard tenant == Store.everyTenant || CatalogueNames.isTenant(tenant) else {
                throw Failure(.data, "--tenant \(tenant) is not \(CatalogueNames.nameRule)", hint: "* allows every tenant")
            }
            for one in scope { try Choices.check(one, of: "scope", isOneOf: KeyCommand.scopes) }
            let scopes = APIScope.allCases.filter { scope.contains($0.rawValue) }
            let lifetime = try expiresIn.map { try KeyCommand.duration($0, of: "--expires-in") }
            try await withStore { store, _ in
                let made = try await store.keys.create(name: name, tenant: tenant, scopes: scopes, lifetime: lifetime, by: author)
                guard let made else {
                    throw Failure(.bad, "there is a key \(name) already", hint: "tidings key rotate gives it a new secret")
                }
                KeyCommand.print(made.text, made.row, as: format)
            }
        }
    }

    struct List: TidingsCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "The keys: their tenants, scopes and last use. No secrets.")
        @Flag(help: "Also revoked and expired keys.") var all = false
        @OptionGroup var list: ListOptions
        @OptionGroup var output: OutputOptions

        mutating func run(in context: CommandContext) async throws {
            let (all, limit, format) = (all, list.limit, output.format)
            try await withStore { store, _ in
                Output.list(try await store.keys.list(all: all, limit: limit), as: format, empty: "there are no keys")
            }
        }
    }

    struct Rotate: TidingsCommand {
        static let configuration = CommandConfiguration(
            commandName: "rotate", abstract: "Give a key a new secret, and print it once. The former secret stays valid for a while.")
        @Argument(help: "The id of the key: the middle part of tid_<id>_<secret>.") var id: String
        @Option(help: "How long the former secret stays valid, such as 24h; 0s ends it at once.") var overlap = "24h"
        @OptionGroup var author: PauseAuthor
        @OptionGroup var output: OutputOptions

        mutating func run(in context: CommandContext) async throws {
            let (id, author, format) = (try KeyCommand.checked(id), try author.checked(), output.format)
            let overlap = try KeyCommand.duration(overlap, of: "--overlap", orNone: true)
            try await withStore { store, _ in
                guard let made = try await store.keys.rotate(id, overlap: overlap, by: author) else { throw KeyCommand.noKey(id) }
                KeyCommand.print(made.text, made.row, as: format)
            }
        }
    }

    struct Revoke: TidingsCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke", abstract: "End a key for good. Every process refuses it within seconds.")
        @Argument(help: "The id of the key: the middle part of tid_<id>_<secret>.") var id: String
        @OptionGroup var author: PauseAuthor
        @OptionGroup var output: OutputOptions

        mutating func run(in context: CommandContext) async throws {
            let (id, author, format) = (try KeyCommand.checked(id), try author.checked(), output.format)
            try await withStore { store, _ in
                guard let row = try await store.keys.revoke(id, by: author) else { throw KeyCommand.noKey(id) }
                if format != .text { return Output.one(row, as: format) }
                Output.note("revoked the key \(id)")
            }
        }
    }
}

extension KeyCommand {
    fileprivate static let scopes = APIScope.allCases.map(\.rawValue)
    /// The longest time in the options: ten years.
    private static let longest = Duration.seconds(3_653 * 86_400)

    /// Prints a key for its owner. On standard output, text has only the key, so that a script can take it as it is.
    private static func print(_ key: APIKeyText, _ row: JSON, as format: OutputFormat) {
        if format == .text {
            Output.data(key.revealed)
            return Output.note("key \(key.id): this is the only time that it is printed")
        }
        var members = row.objectValue ?? JSONObject()
        members["key"] = .string(key.revealed)
        Output.one(.object(members), as: format)
    }

    private static func checked(_ id: String) throws -> String {
        if APIKeyText(id) != nil { throw Failure(.data, "this is a whole key", hint: "give its id: the middle part of tid_<id>_<secret>") }
        guard APIKeyText.isID(id) else { throw Failure(.data, "\(id) is no id of a key", hint: "tidings key list") }
        return id
    }

    private static func duration(_ text: String, of option: String, orNone: Bool = false) throws -> Duration {
        guard let duration = DurationText.parse(text), duration <= longest, duration > .zero || orNone && duration == .zero else {
            throw Failure(.data, "\(option) \(text) is no duration up to ten years", hint: "90s, 24h or 90d")
        }
        return duration
    }

    private static func noKey(_ id: String) -> Failure {
        Failure(.bad, "there is no key \(id) in force", hint: "tidings key list --all")
    }
}
