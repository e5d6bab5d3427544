import ArgumentParser
import TidingsCatalogue
import TidingsCore
import TidingsJSON
import TidingsPipeline
import TidingsServer
import TidingsStore
import TidingsTimeZones

/// Explains one notification.
struct WhyCommand: TidingsCommand {
    static let configuration = CommandConfiguration(
        commandName: "why", abstract: "What happened to a notification on each channel, and why.")

    @Argument(
        help:
            "A notification or delivery id, the producer's event id, a recipient (also tenant/recipient), or a provider's idempotency key such as a webhook-id."
    )
    var id: String
    @OptionGroup var content: ContentOptions
    @OptionGroup var output: OutputOptions

    mutating func run(in context: CommandContext) async throws {
        let (id, content, format) = (id, content.content, output.format)
        try await withStore { store, _ in try await explain(id, withContent: content, as: format, in: store) }
    }
}

/// Whether the content of a notification is shown.
struct ContentOptions: ParsableArguments {
    @Flag(help: "Also print title and body. Title and body are personal data: reading them needs a right on the table.") var content = false
}

/// Explains the notifications and the refused events of an id. The id may be that of a notification, a delivery, a producer's event or a
/// person. Throws a ``Failure`` with exit code 1 if there is no notification.
func explain(_ text: String, withContent: Bool, as format: OutputFormat, in store: Store) async throws {
    let found = try await store.operations.find(text)
    let ids = notificationIDs(in: found) { _ in true }
    let refused = try await RefusedExplanation.all(in: found, from: store)
    guard !ids.isEmpty else {
        if format == .json || !refused.isEmpty { Explanation.print([], refused: refused, as: format) }
        throw try await noNotification(text, found, in: store)
    }
    let explanations = try await Explanation.all(of: ids, withContent: withContent, from: store)
    if let key = try? DeliveryKey(parsing: text), !explanations.contains(where: { $0.has(key) }) {
        if format == .json { Output.list([], as: format, empty: "") }
        throw Failure(.bad, "there is no delivery \(text)", hint: "tidings why \(key.notificationID) shows those of its notification")
    }
    Explanation.print(explanations, refused: refused, as: format)
}

/// Returns the notifications among the records of ``Store/Operations/find(_:tokens:)`` that `isWanted` accepts.
/// Each is listed once: an event may have the id of a person, and then the records name a notification twice.
func notificationIDs(in found: [FoundRecord], where isWanted: (FoundRecord) -> Bool) -> [NotificationID] {
    var ids: [NotificationID] = []
    for record in found where record.kind == .notification && isWanted(record) {
        if let id = NotificationID(record.id), !ids.contains(id) { ids.append(id) }
    }
    return ids
}

/// The hint for an event that is only in the SQL outbox.
private func enqueuedHint(_ event: JSON) throws(ReportError) -> String {
    let since = try event.column("at", as: String.self)
    return "enqueued by SQL since \(since) and not published yet: tidings status shows whether a release role runs"
}

/// - Parameter found: the records that have the id; none of them is a notification.
func noNotification(_ text: String, _ found: [FoundRecord], in store: Store) async throws -> Failure {
    let waits = found.isEmpty ? try await store.outbox.enqueued(text).first : nil
    let hint =
        if let waits {
            try enqueuedHint(waits)
        } else if found.contains(where: { $0.kind == .erased }) {
            erasedHint
        } else if let promised = found.first(where: { $0.kind == .promised }) {
            try await promisedHint(promised, in: store)
        } else if let refused = try await RefusedExplanation.all(in: found, from: store).first {
            refused.hint
        } else {
            found.isEmpty ? try await lostHint(text, in: store) : "tidings find \(text)"
        }
    return Failure(.bad, "no notification \(text)", hint: hint)
}

/// The hint for the id of a notification whose person was erased.
private let erasedHint = "recipientErased: its person was erased, and so was everything about it; nothing is sent any more"

/// The hint for an id that the HTTP API promised, and that names no notification.
private func promisedHint(_ found: FoundRecord, in store: Store) async throws -> String {
    let waits = "promised over HTTP: no router has decided the event yet; tidings status shows whether one runs"
    // A router may have decided since the search.
    guard let id = NotificationID(found.id), case .promise(let promise)? = try await store.reservations.notification(id, tenant: nil)
    else { return waits }
    let reason = promise.reasonCode ?? ""
    switch promise.state {
    case .accepted, .decided: return waits
    case .cancelled:
        return "cancelled at \(promise.cancelledAt ?? "") before a router had decided (\(reason)): nothing was sent and nothing will be"
    case .rejected:
        let place = promise.pointer?.printable ?? ""
        let number = promise.rejectedID.map { "\($0)" } ?? ""
        return "the event was refused: \(reason)\(place.isEmpty ? "" : " at \(place)"); tidings rejected show \(number);"
            + " what to do: \(promise.whatToDo ?? "")"
    case .erased: return erasedHint
    }
}

/// The hint for an id without a record: the record may have the id in other letters, its event may wait at the broker, its rows may be past
/// retention, or the id may be a trace id.
private func lostHint(_ text: String, in store: Store) async throws -> String {
    if let other = try await knownSpelling(of: text, in: store) {
        return "capital and small letters differ: tidings find \(Table.plain(.string(other))) finds something"
    }
    let gone = "perhaps no router has decided it yet: tidings status shows what waits; rows past their retention are deleted"
    let mayBeTrace = text.split(separator: "-").contains { $0.utf8.count == 32 && $0.allSatisfy(\.isHexDigit) }
    guard mayBeTrace else { return gone }
    return gone + "; a trace id has no index: in SQL, ask tidings_ops.notifications for trace_id and a range of notification_id"
}

/// Returns an id with a record that differs only in capital and small letters. Ids are compared by their bytes, and no index finds every
/// spelling. So only three are tried: small letters, capital letters, and one capital letter first.
private func knownSpelling(of text: String, in store: Store) async throws -> String? {
    let small = text.lowercased()
    var tried: [String] = []
    for spelling in [small, text.uppercased(), small.prefix(1).uppercased() + small.dropFirst()] {
        guard !isSameText(spelling, text), !tried.contains(spelling) else { continue }
        tried.append(spelling)
        if try await !store.operations.find(spelling).isEmpty { return spelling }
    }
    return nil
}

/// Finds the record of any id.
struct FindCommand: TidingsCommand {
    static let configuration = CommandConfiguration(commandName: "find", abstract: "Find the record of any id.")

    @Argument(
        help:
            "A notification, delivery, event, recipient (also tenant/recipient) or device id, a device's token, or a provider's idempotency key."
    )
    var id: String
    @OptionGroup var output: OutputOptions

    mutating func run(in context: CommandContext) async throws {
        let (id, format) = (id, output.format)
        try await withStore { store, _ in
            var rows = try await store.operations.find(id, tokens: context.providers.tokenIdentities(of: id)).map(\.row)
            if rows.isEmpty { rows = try await store.outbox.enqueued(id) }
            if !rows.isEmpty || format == .json { Output.list(rows, as: format, empty: "") }
            if rows.isEmpty { throw Failure(.bad, "nothing has the id \(id)", hint: try await lostHint(id, in: store)) }
        }
    }
}

/// Prints the decision for an intent without sending the intent.
struct SimulateCommand: TidingsCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate", abstract: "The decision for an intent, without sending it. The router runs the same function.")

    @Argument(help: "A type of the catalogue.") var type: String
    @Option(help: "The recipient.") var to: String
    @Option(help: "The moment of the decision, RFC 3339; now by default.") var at: String?
    @Option(help: "Only these channels.") var channel: [String] = []
    @Option var tenant = Intent.defaultTenant
    @Option var market: String?
    @Flag var critical = false
    @OptionGroup var output: OutputOptions

    mutating func run(in context: CommandContext) async throws {
        let (format, to, tenant) = (output.format, to, tenant)
        try checkPerson(to, tenant: tenant)
        let moment = try at.map { text in
            guard let time = Timestamp(rfc3339: text) else { throw Failure(.data, "--at \(text) is no RFC 3339 time") }
            return time
        }
        var intent = Intent(tenant: tenant, source: "/tidings/simulate", id: "simulate", type: type, recipient: to)
        intent.market = market?.ifPresent
        intent.critical = critical
        intent.channels = try Choices.channels(channel)
        let asked = intent
        let zones = try TimeZoneDatabase.required()
        try await withStore { store, _ in
            let source = try await CatalogueSource(store, builtIn: .ofBinary)
            if let refusal = source.current.refusal(of: asked) {
                throw Failure(.data, "\(refusal.reason.rawValue) at \(refusal.pointer): \(refusal.message)", hint: "tidings catalogue show")
            }
            let now = moment ?? store.clock.now()
            let facts = try await store.recipients.facts(of: to, tenant: tenant, zones: zones, around: now)
            let decision = route(
                asked, facts: facts, catalogue: source.current.catalogue, pauses: source.pauses, now: now, acceptedAt: now)
            Output.list(decision.deliveries.map(Self.row), as: format, empty: "no channel is eligible")
            if format == .text {
                for rule in decision.rules { Output.text("rule: \(rule)") }
                for note in decision.notes { Output.text("note: \(note.rawValue): \(note.meaning)") }
            }
        }
    }

    private static func row(_ planned: PlannedDelivery) -> JSON {
        let (verdict, until): (String, String) =
            switch planned.verdict {
            case .send: ("send", "")
            case .hold(let until, _): ("hold", until.rfc3339)
            case .paused: ("hold", "")
            case .awaitEscalation: ("awaitEscalation", "")
            case .notSent: ("notSent", "")
            }
        return [
            "channel": .string(planned.channel.rawValue), "provider": .string(planned.provider),
            "endpoint": planned.endpoint.map { .string($0) } ?? .null, "verdict": .string(verdict),
            "state": .string(planned.verdict.state.rawValue), "reason_code": planned.verdict.reason.map { .string($0.rawValue) } ?? .null,
            "until": until.isEmpty ? .null : .string(until), "market": planned.market.map { .string($0) } ?? .null,
            "has_standby": .bool(planned.standby != .nobody),
        ]
    }
}
