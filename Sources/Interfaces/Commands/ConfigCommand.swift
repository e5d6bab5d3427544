import ArgumentParser
import Logging
import TidingsAMQP
import TidingsCore
import TidingsJSON
import TidingsModules
import TidingsPostgres
import TidingsProvider
import TidingsServer
import TidingsTimeZones

/// Prints the settings and the bounds of this binary.
struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Settings and bounds.", subcommands: [Show.self])

    struct Show: TidingsCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Every setting with its value here, and every bound with its unit and reason. Needs no server.",
            discussion: "Values come from the environment, or from a running `tidings dev` of this folder. Passwords are not shown.")
        @OptionGroup var output: OutputOptions

        mutating func run(in context: CommandContext) async throws {
            let environment = try DevelopmentHome(path: DevelopmentHome.defaultPath).environment(over: Settings.processEnvironment())
            let settings = (Settings.declarations + context.providers.declarations).map { $0.json(in: environment) }
            let bounds = Bounds.all + context.modules.bounds + (context.api?.bounds ?? [])
            guard output.format == .text else {
                return Output.one(["settings": .array(settings), "bounds": .array(bounds.map(\.json))], as: output.format)
            }
            Output.text(Self.text(settings.map { [$0.text("name"), $0.text("value"), $0.text("meaning")] }))
            Output.text("")
            Output.text(Self.text(bounds.map { [$0.name, $0.shown, $0.why] }))
        }

        /// Columns of unlimited width: a reason that is cut off explains nothing.
        private static func text(_ rows: [[String]]) -> String {
            let widths = (0..<2).map { column in rows.map { $0[column].count }.max() ?? 0 }
            return rows.map { row in
                zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count + 2) }.joined() + (row.last ?? "")
            }.joined(separator: "\n")
        }
    }
}

extension JSON {
    fileprivate func text(_ name: String) -> String { self[name].map(Table.plain) ?? "" }
}

extension Settings {
    /// Every variable that Tidings reads, in the order of the documentation.
    /// A URL that cannot be parsed is not shown at all, because a password may stand anywhere in it.
    static let declarations =
        [
            SettingDeclaration("TIDINGS_AMQP_URL", "Where RabbitMQ is; amqps:// with cacertfile, certfile, keyfile, verify.") {
                (try? AMQPConfiguration(url: $0)).map { "\($0)" } ?? "(unreadable)"
            },
            SettingDeclaration("TIDINGS_DATABASE_URL", "Where PostgreSQL is, with libpq's parameters.") {
                (try? PostgresConfiguration(url: $0)).map { "\($0)" } ?? "(unreadable)"
            },
            SettingDeclaration(
                TimeZoneDatabase.folderVariable, "The folder of the zone data, as for the C library.",
                defaultValue: TimeZoneDatabase.standardDirectory),
            SettingDeclaration("TIDINGS_LOG", "The least severe level that is logged.", defaultValue: Logger.Level.notice.rawValue),
            SettingDeclaration("TIDINGS_LOG_FORMAT", "text, or json: one object a line.", defaultValue: LogFormat.text.rawValue),
            SettingDeclaration(metricsListenName, "The address at which a role offers metrics and health; empty: none."),
        ] + APISettings.declarations
}

extension ProviderRegistry {
    /// The environment variables that stand in for settings that the catalogue leaves out.
    var declarations: [SettingDeclaration] {
        kinds.flatMap { kind, settings in
            settings.map { setting in
                SettingDeclaration(
                    ProviderSettings.variable(kind: kind, setting: setting.name), setting.meaning, defaultValue: setting.defaultValue,
                    isSecret: setting.isSecret, shown: setting.isSecret ? Self.secret : ProviderSettings.hidingUserInformation)
            }
        }
    }

    /// A secret is shown only if the value names its place, as `env:NAME` or `file:/path` on one line.
    private static let secret: @Sendable (String) -> String = { value in
        let isReference = (value.hasPrefix("env:") || value.hasPrefix("file:/")) && !value.contains(where: \.isWhitespace)
        return isReference ? value : "***"
    }
}
