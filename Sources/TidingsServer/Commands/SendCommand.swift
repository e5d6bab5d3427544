import ArgumentParser
import TidingsAMQP
import TidingsClient
import TidingsCore
import TidingsStore
import TidingsWire

/// Publishes one intent, as any producer would.
struct SendCommand: TidingsCommand {
    static let configuration = CommandConfiguration(
        commandName: "send", abstract: "Publish an intent to the broker, as a producer does.",
        discussion: """
            Exit 0 when the broker confirmed it (with --wait: when every channel ended or waits for its time), 1 when it was rejected or a
            delivery failed, 75 when --timeout passed.
            """)

    @Argument(help: "A type of the catalogue, such as orderUpdate.") var type: String
    @Option(help: "The recipient; repeat it for several.") var to: [String]
    @Option(help: "A member of the data, key=value; @file or - for a whole JSON object.") var data: [String] = []
    @Option var title: String?
    @Option var body: String?
    @Option(help: "Only these channels; repeat it for several.") var channel: [String] = []
    @Option(help: "When, RFC 3339.") var at: String?
    @Option(name: .customLong("in"), help: "In how long: 90s, 15m, 2h, 3d.") var delay: String?
    @Option(help: "The event id; the same again is the same intent.") var id: String?
    @Option(help: "The event source.") var source = "/tidings/cli"
    @Option var tenant: String?
    @Option var market: String?
    @Option(help: "One thread in the person's list for each key.") var groupKey: String?
    @Flag(help: "Escalate over push, local and inApp; the type must allow it.") var critical = false
    @Flag(help: "Print the event and publish nothing.") var dryRun = false
    @Flag(help: "Wait until it is decided and delivered, then explain.") var wait = false
    @Option(help: "Seconds that --wait waits.") var timeout = 30
    @OptionGroup var output: OutputOptions

    mutating func run(in context: CommandContext) async throws {
        let (category, since) = await lookUp()
        let event = try event(category: category)
        guard !dryRun else { return Output.data(String(decoding: event.encoded, as: UTF8.self)) }
        let settings = try Settings.read()
        let client = TidingsClient(settings.amqpOfCommand, connectionName: "tidings send")
        let result = await client.publish(event)
        await client.close()
        switch result {
        case .confirmed: break
        case .returned(let code, let text):
            throw Failure(.unavailable, "the broker returned it: \(code) \(text)", hint: "has a router ever run? see tidings doctor")
        case .nacked: throw Failure(.unavailable, "the broker refused it", hint: "publish it again with --id \(event.id)")
        case .failed(let error): throw Failure(error)
        }
        guard wait else {
            return Output.one(
                ["id": .string(event.id), "source": .string(source), "state": .string("confirmed")],
                as: output.format)
        }
        let (timeout, format) = (timeout, output.format)
        try await withStore { store, _ in
            try await SendWait(for: event, since: since, in: store).explain(within: timeout, as: format)
        }
    }

    /// The category, so that the intent goes in by the right lane, and the time before it is published. Both are the database's where it can be
    /// asked; otherwise the built-in catalogue and this machine's clock must do, for publishing needs no database.
    private func lookUp() async -> (Category, since: Timestamp) {
        let known = try? await withStore { store, _ in (try await CatalogueSource(store).current.catalogue, store.clock.now()) }
        let (catalogue, now) = known ?? (.builtIn, DatabaseClock.local())
        return (catalogue.types[type]?.category ?? .system, now)
    }

    private func event(category: Category) throws -> IntentEvent {
        var event = IntentEvent(
            source: source, id: id ?? RandomIdentifier.make(), type: type, category: category, recipients: to, title: title, body: body,
            data: try DataArguments(data).json, groupKey: groupKey, critical: critical, market: market, tenant: tenant)
        event.channels = try Choices.channels(channel)
        if let at {
            guard let time = Timestamp(rfc3339: at) else {
                throw Failure(.data, "--at \(at) is no RFC 3339 time", hint: "2026-12-24T18:00:00+01:00")
            }
            event.scheduledFor = time
        }
        if let delay {
            guard let duration = DurationText.parse(delay) else {
                throw Failure(.data, "--in \(delay) is no duration", hint: "90s, 15m, 2h or 3d")
            }
            event.scheduledFor = DatabaseClock.local().adding(duration)
        }
        return event
    }
}

/// `--data` arguments as one JSON object: `key=value` pairs, where a value that is JSON counts as such, or one `@file`.
struct DataArguments {
    /// Nil without arguments.
    let json: String?

    init(_ arguments: [String]) throws {
        guard let first = arguments.first else {
            json = nil
            return
        }
        if first.hasPrefix("@") || first == "-" {
            let path = first == "-" ? "-" : String(first.dropFirst())
            guard arguments.count == 1 else { throw Failure(.usage, "--data @file stands alone") }
            guard let bytes = readBytes(path) else { throw Failure(.data, "cannot read \(path)") }
            do {
                guard case .object(let object) = try JSON.parse(bytes, limits: .init()) else {
                    throw Failure(.data, "\(path) is no JSON object")
                }
                json = JSON.object(object).serialized
            } catch let error as JSONParseError {
                throw Failure(.data, "\(path): \(error)")
            }
            return
        }
        var members = JSONObject()
        for argument in arguments {
            let pair = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard pair.count == 2, !pair[0].isEmpty else { throw Failure(.data, "--data \(argument) is not key=value") }
            members[pair[0]] = Self.value(pair[1])
        }
        json = JSON.object(members).serialized
    }

    /// Numbers, booleans, arrays and objects as such; anything else is a string.
    private static func value(_ text: String) -> JSON {
        guard let parsed = try? JSON.parse(Array(text.utf8), limits: .init()) else { return .string(text) }
        if case .null = parsed { return .string(text) }
        return parsed
    }
}
