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
        let event = try event(category: await category())
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
        try await waitAndExplain(event)
    }

    /// The catalogue's word where the database can be asked, so that the intent goes in by the right lane; the built-in one otherwise.
    private func category() async -> Category {
        let known = try? await withStore { store, _ in try await CatalogueSource(store).current.catalogue }
        return (known ?? .builtIn).types[type]?.category ?? .system
    }

    private func event(category: Category) throws -> IntentEvent {
        var event = IntentEvent(
            source: source, id: id ?? RandomIdentifier.make(), type: type, category: category, recipients: to, title: title, body: body,
            data: try DataArguments(data).json, groupKey: groupKey, critical: critical, market: market, tenant: tenant)
        if !channel.isEmpty {
            event.channels = try channel.map {
                guard let channel = Channel(rawValue: $0) else { throw Failure(.data, "unknown channel \($0)") }
                return channel
            }
        }
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

    private func waitAndExplain(_ event: IntentEvent) async throws {
        let format = output.format
        try await withStore { store, _ in
            let deadline = ContinuousClock.now + .seconds(timeout)
            while ContinuousClock.now < deadline {
                if let refused = try await store.rejection(source: event.source, eventID: event.id) {
                    let (reason, text) = (refused["reason_code"]?.stringValue ?? "", refused["message"]?.stringValue ?? "")
                    throw Failure(
                        .bad, "rejected: \(reason) at \(refused["pointer"]?.stringValue ?? ""): \(text)",
                        hint: "tidings rejected show \(refused["rejected_id"]?.serialized ?? "")")
                }
                let ids = try await store.notificationIDs(source: event.source, eventID: event.id)
                var rest = ids.count == Set(event.recipients).count
                for id in ids where rest { rest = try await store.isAtRest(id) }
                if rest {
                    var failed = false
                    for id in ids {
                        let explanation = try await Explanation(of: id, from: store)
                        explanation.print(as: format)
                        failed = failed || explanation.hasFailure
                    }
                    if failed { throw Failure(.bad, "a delivery failed") }
                    return
                }
                try await Task.sleep(for: .milliseconds(50))
            }
            throw Failure(.timedOut, "not finished after \(timeout) s; its id is \(event.id)", hint: "tidings find \(event.id)")
        }
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
