import ArgumentParser
import TidingsAMQP
import TidingsCatalogue
import TidingsClient
import TidingsContracts
import TidingsCore
import TidingsJSON
import TidingsPipeline
import TidingsPostgres
import TidingsServer
import TidingsStore

/// Publishes one intent, as any producer would.
struct SendCommand: TidingsCommand {
    static let configuration = CommandConfiguration(
        commandName: "send", abstract: "Publish an intent to the broker, as a producer does.",
        discussion: """
            If the database answers, an intent that the router would refuse is refused here, with exit 65, and is not published. Exit 0 when the
            broker confirmed it (with --wait: when every channel ended or waits for its time), 1 when it was rejected, a delivery failed or
            no channel reached the person, 75 when --timeout passed. If the broker blocks publishers, the message names its alarm. After a
            failure, the message names the id and says whether the broker confirmed the event.
            """)

    @Argument(help: "A type of the catalogue, such as orderUpdate.") var type: String
    @Option(help: "The recipient; repeat it for several.") var to: [String]
    @Option(help: "A member of the data, key=value; @file or - for a whole JSON object.") var data: [String] = []
    @Option var title: String?
    @Option var body: String?
    @Option(help: "Only these channels; repeat it for several.") var channel: [String] = []
    @Option(help: "Send at this time, RFC 3339.") var at: String?
    @Option(name: .customLong("in"), help: "Send after this time: 90s, 15m, 2h, 3d.") var delay: String?
    @Option(help: "The event id. The same id again means the same intent.") var id: String?
    @Option(help: "The event source.") var source = "/tidings/cli"
    @Option var tenant: String?
    @Option var market: String?
    @Option(help: "One thread in the person's list for each key.") var groupKey: String?
    @Flag(help: "Escalate over push, local and inApp; the type must allow it.") var critical = false
    @Flag(help: "Publish the intent even if the router will refuse it; without --wait the database is not asked.") var noCheck = false
    @Flag(help: "Print the event and publish nothing.") var dryRun = false
    @Flag(help: "Wait until the intent is decided and delivered, then explain it.") var wait = false
    @Option(help: "Seconds for the check, the confirm of the broker, and with --wait the deliveries together.") var timeout = 30
    @OptionGroup var output: OutputOptions

    /// A day. A larger number is nearly always milliseconds taken for seconds.
    private static let longestTimeout = 86_400
    /// The time of a step that begins at the deadline: its server may answer although an earlier one was slow.
    private static let shortestStep = Duration.seconds(1)

    mutating func validate() throws {
        if at != nil, delay != nil { throw ValidationError("--at and --in both say when: give one of them") }
        guard (1...Self.longestTimeout).contains(timeout) else {
            throw ValidationError("--timeout is from 1 to \(Self.longestTimeout) seconds")
        }
    }

    mutating func run(in context: CommandContext) async throws {
        // Read the data before the deadline begins: a person may type them.
        let data = try DataArguments(data)
        let deadline = ContinuousClock.now + .seconds(timeout)
        let (catalogue, since) = noCheck && !wait ? (nil, DatabaseClock.local()) : await lookUp()
        let type = (catalogue?.catalogue ?? .ofBinary).types[type]
        let event = try event(data, category: type?.category ?? .system)
        if let catalogue, !noCheck { try Self.check(event, by: catalogue, now: since) }
        guard !dryRun else { return Output.data(String(decoding: event.encoded, as: UTF8.self)) }
        try await publish(event, until: deadline)
        guard wait else {
            Output.one(
                ["id": .string(event.id), "source": .string(source), "state": .string("confirmed")],
                as: output.format)
            return Output.note("next: tidings why \(event.id)")
        }
        // Print the generated id before the wait: a user who interrupts the wait must still know it.
        if id == nil { Output.note("published as \(event.id); to ask later: tidings why \(event.id)") }
        try await explain(event, since: since, until: deadline)
    }

    /// Returns the catalogue in force and the time before the intent is published, both from the database. The database gets half of
    /// ``timeout`` at most, so that time is left for the broker.
    ///
    /// Publishing needs no database. If the database cannot be asked, returns nil and the time of this machine's clock. A note says why the
    /// intent is not checked, unless there is no connection.
    private func lookUp() async -> (CompiledCatalogue?, since: Timestamp) {
        do {
            let known = try await withStore(within: Duration.seconds(timeout) / 2) { store, _ in
                (try await CatalogueSource(store, builtIn: .ofBinary).current, store.clock.now())
            }
            return (known.0, known.1)
        } catch {
            if !noCheck, let reason = Self.reasonNotChecked(error) { Output.note("note: not checked: \(reason)") }
            return (nil, DatabaseClock.local())
        }
    }

    /// Returns nil if no database can be reached, or if none is configured.
    private static func reasonNotChecked(_ error: any Error) -> String? {
        switch error {
        // A refusal with an SQLSTATE is an answer of the server, such as a wrong password.
        case let error as PostgresError where error.kind == .connectFailed && error.sqlState == nil: nil
        case let failure as Failure where failure.code == .config: nil
        default: Failure(error).message
        }
    }

    /// Throws a ``Failure`` unless the broker confirms the event before the deadline. The failure names the event, and says whether it may
    /// have arrived.
    private func publish(_ event: IntentEvent, until deadline: ContinuousClock.Instant) async throws {
        let settings = try Settings.read()
        let producer = try Producer(settings.amqpOfCommand, connectionName: "tidings send", timeout: Self.rest(until: deadline))
        let result = await producer.publish(event)
        await producer.close()
        switch result {
        case .confirmed: return
        case .returned(let code, let text):
            throw Failure(
                .unavailable, "the broker returned the event \(event.id): \(code) \(text)",
                hint: "nothing was published; has a router ever run? see tidings doctor")
        case .nacked: throw Self.unconfirmed(event, Failure(.unavailable, "the broker refused the event"))
        case .failed(let error):
            let failure = Failure(error)
            if Self.isRefused(error) {
                throw Failure(failure.code, "\(failure.message); the event \(event.id) was not published", hint: failure.hint)
            }
            guard failure.code == .timedOut else { throw Self.unconfirmed(event, failure) }
            throw Self.unconfirmed(event, Failure(.timedOut, "not confirmed after \(timeout) s: \(failure.message)", hint: failure.hint))
        }
    }

    /// Whether the error refuses the message itself. Before any other error, the connection may have been lost after the message was sent.
    private static func isRefused(_ error: AMQPError) -> Bool {
        switch error {
        case .invalidMessage, .channelClosed: !error.isRetryable
        default: false
        }
    }

    /// The failure of an event that may have arrived without a confirm.
    private static func unconfirmed(_ event: IntentEvent, _ cause: Failure) -> Failure {
        let advice = "publish it again with --id \(event.id): it is decided once"
        return Failure(
            cause.code, "\(cause.message); it is unknown whether the event \(event.id) arrived",
            hint: cause.hint.map { "\(advice); \($0)" } ?? advice)
    }

    /// Waits until the confirmed event is decided and delivered, then explains it. If the database fails, the failure says that the event
    /// is confirmed.
    private func explain(_ event: IntentEvent, since: Timestamp, until deadline: ContinuousClock.Instant) async throws {
        let (timeout, format) = (timeout, output.format)
        do {
            try await withStore(within: Self.rest(until: deadline)) { store, _ in
                try await SendWait(for: event, since: since, in: store).explain(until: deadline, after: timeout, as: format)
            }
        } catch let error where !(error is Failure) {
            let (cause, advice) = (Failure(error), "later: tidings why \(event.id)")
            throw Failure(
                cause.code, "\(cause.message); the broker confirmed the event \(event.id)",
                hint: cause.hint.map { "\($0); \(advice)" } ?? advice)
        }
    }

    /// The time until the deadline, and at least ``shortestStep``.
    private static func rest(until deadline: ContinuousClock.Instant) -> Duration {
        max(ContinuousClock.now.duration(to: deadline), shortestStep)
    }

    /// Throws for an event that the router would refuse, judged by the router's own decoder.
    /// Tenants are not checked: the tenants that the user of the broker may name are not known here.
    private static func check(_ event: IntentEvent, by catalogue: CompiledCatalogue, now: Timestamp) throws {
        let message = IncomingMessage(body: event.encoded, contentType: "application/cloudevents+json")
        guard let refusal = IntentDecoder(catalogue: catalogue).decode(message, rights: .unrestricted, now: now).rejections.first else {
            return
        }
        let place = refusal.pointer.isEmpty ? "" : " at \(refusal.pointer)"
        throw Failure(
            .data, "\(refusal.reason.rawValue)\(place): \(refusal.message)",
            hint: "the router would refuse the intent, so nothing was published; --no-check publishes it all the same")
    }

    private func event(_ data: DataArguments, category: Category) throws -> IntentEvent {
        for note in data.notes { Output.note("note: \(note)") }
        var event = IntentEvent(
            source: source, id: id ?? RandomIdentifier.make(), type: type, category: category, recipients: to, title: title, body: body,
            data: data.json, groupKey: groupKey, critical: critical, market: market, tenant: tenant)
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

/// `--data` arguments as one JSON object: `key=value` pairs, or one `@file`. A value of a pair that is JSON counts as JSON.
struct DataArguments {
    /// Nil without arguments.
    let json: String?
    /// Values that look like JSON, and are sent as text.
    private(set) var notes: [String] = []

    init(_ arguments: [String]) throws {
        guard let first = arguments.first else {
            json = nil
            return
        }
        if first.hasPrefix("@") || first == "-" {
            let path = first == "-" ? "-" : String(first.dropFirst())
            guard arguments.count == 1 else { throw Failure(.usage, "--data @file cannot be combined with other --data") }
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
            // A whole object may hold an equals sign, so that it would pass as a pair.
            guard pair.count == 2, !pair[0].isEmpty, !pair[0].hasPrefix("{") else {
                throw Failure(
                    .data, "--data \(argument) is not key=value",
                    hint: "a whole JSON object comes from --data @file, or --data - on standard input")
            }
            members[pair[0]] = Self.value(pair[1])
            if case .string(let text)? = members[pair[0]], isSameText(text, pair[1]), Self.looksLikeJSON(text) {
                notes.append(
                    "--data \(pair[0]) is sent as the text \(JSON.string(text).serialized), because it is no JSON value; see --data @file")
            }
        }
        json = JSON.object(members).serialized
    }

    /// Whether the user probably means a list, an object, a quoted text, a truth value or nothing. A shell may have removed quotation marks.
    private static func looksLikeJSON(_ text: String) -> Bool {
        text.first.map { "[{\"".contains($0) } == true || ["null", "nil", "none", "true", "false"].contains(text.lowercased())
    }

    /// Numbers, booleans, arrays and objects as such; anything else is a string.
    private static func value(_ text: String) -> JSON {
        guard let parsed = try? JSON.parse(Array(text.utf8), limits: .init()) else { return .string(text) }
        if case .null = parsed { return .string(text) }
        return parsed
    }
}
