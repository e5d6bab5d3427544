import ArgumentParser
import TidingsCatalogue
import TidingsContracts
import TidingsCore
import TidingsJSON
import TidingsServer
import TidingsStore
import TidingsTimeZones

extension DeviceCommand {
    /// Asks for a device's plan, as the app of the device does.
    struct Plan: TidingsCommand {
        static let configuration = CommandConfiguration(
            commandName: "plan", abstract: "A device's plan of local notifications, as its app gets it; with --since, only the changes.",
            discussion: """
                This counts as a request of the app: changes by preferences, permission, zone or time become a new version. JSON is \
                {version, reset, requests, removed}.
                """)
        @Argument(help: "The device's id.") var device: String
        @Option(help: "The version that the device has. For an unknown version, the whole plan is printed.") var since: Int64?
        @Option var tenant = Intent.defaultTenant
        @OptionGroup var output: OutputOptions

        mutating func run(in context: CommandContext) async throws {
            let (device, since, tenant, format) = (device, since, tenant, output.format)
            let zones = try TimeZoneDatabase.required()
            try await withStore { store, _ in
                let catalogue = try await CatalogueSource(store, builtIn: .ofBinary).current.catalogue
                guard
                    let plan = try await store.localPlans.sync(
                        of: device, tenant: tenant, since: since, catalogue: catalogue, zones: zones)
                else { throw Failure.noDevice(device) }
                guard format == .text else { return Output.one(plan.json, as: format) }
                Output.text("version \(plan.version)\(plan.reset ? ", the whole plan" : "")")
                Output.list(
                    plan.requests.map { Self.row($0, in: plan.zone) }, as: format, empty: plan.reset ? "nothing is planned" : "nothing new")
                for identifier in plan.removed { Output.text("removed: \(identifier)") }
            }
        }

        private static func row(_ request: LocalNotificationRequest, in zone: String?) -> JSON {
            let json = request.json
            let time =
                switch request.trigger {
                case .calendar(let time): String(time.description.dropLast(3)) + (zone.map { " \($0)" } ?? "")
                case .timeInterval(let seconds): "in \(seconds) s"
                }
            return [
                "shows": .string(time), "identifier": .string(request.identifier), "title": json["title"] ?? .null,
                "body": json["body"] ?? .null,
            ]
        }
    }

    struct Ack: TidingsCommand {
        static let configuration = CommandConfiguration(
            commandName: "ack", abstract: "Confirm a version of a device's plan: the notifications in that version count as delivered.")
        @Argument(help: "The device's id.") var device: String
        @Argument(help: "The version that the device was told.") var version: Int64
        @Option var tenant = Intent.defaultTenant

        mutating func run(in context: CommandContext) async throws {
            let (device, version, tenant) = (device, version, tenant)
            try await withStore { store, _ in
                switch try await store.localPlans.acknowledge(of: device, tenant: tenant, version: version) {
                case .confirmed: Output.note("device \(device) has version \(version)")
                case .noDevice: throw Failure.noDevice(device)
                case .unknownVersion(let latest):
                    throw Failure(.data, "the device was never told a version \(version)", hint: "its latest is \(latest)")
                }
            }
        }
    }
}
