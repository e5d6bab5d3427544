public import Logging
public import TidingsAMQP
import TidingsCatalogue
import TidingsContracts
import TidingsCore
import TidingsCrypto
import TidingsEncodings
import TidingsPostgres
public import TidingsStore

/// Takes the intents of producers over HTTP. The steps are: decode, reserve the ids, publish, await the confirms.
///
/// An accepted request survives every crash: its events are on disk at the broker, and its ids are committed. A crash between two steps
/// loses nothing, because the caller has no answer then and repeats the request. The repetition gets the same ids, and the router recognises
/// the events.
public struct IntentSubmission: Sendable {
    /// The longest wait for the confirms of a request. A confirm takes milliseconds.
    public static let confirmPatience = Duration.seconds(10)
    /// The time after which the caller of a failed request may try again.
    public static let retryAfter = Duration.seconds(2)

    private let store: Store
    private let catalogues: CatalogueSource
    private let publisher: AMQPPublisher
    private let allowance: LaneAllowance?
    private let watch: WorkWatch
    private let desk: ReservationDesk
    private let logger: Logger

    /// - Parameters:
    ///   - publisher: publishes as the roles' own AMQP user or as a user that the catalogue lets vouch. Routers believe only these about
    ///     producers and ids.
    ///   - allowance: chooses between the intake queue and the overflow queue for the events of each request. Nil: every event goes to the
    ///     intake queue.
    ///   - watch: watches for the confirms.
    public init(
        store: Store, catalogues: CatalogueSource, publisher: AMQPPublisher, allowance: LaneAllowance? = nil,
        watch: WorkWatch = WorkWatch(), logger: Logger
    ) {
        self.store = store
        self.catalogues = catalogues
        self.publisher = publisher
        self.allowance = allowance
        self.watch = watch
        self.logger = logger
        desk = ReservationDesk(store: store)
    }

    /// Accepts all events of a request or none. The caller bounds the requests in work: while the broker is blocked, they pile up here.
    /// Only ``SubmissionResult/accepted(_:)`` promises that the events will be decided.
    public func submit(_ request: SubmittedRequest) async -> SubmissionResult { await submit(request, admitting: { _ in }) }

    /// Accepts all events of a request or none, if the caller admits their number.
    ///
    /// - Parameter admit: gets the number of notifications that a valid request asks for, before their ids are reserved. Its error ends the
    ///   request.
    public func submit(
        _ request: SubmittedRequest, admitting admit: @Sendable (_ notifications: Int) throws -> Void
    ) async rethrows -> SubmissionResult {
        let compiled = catalogues.current
        let all = compiled.catalogue.rights(of: request.key.producer)
        let rights = request.key.tenant.map { all.limited(to: $0) } ?? all
        let body = SubmittedBody(request, decoder: IntentDecoder(catalogue: compiled), rights: rights, now: store.clock.now())
        guard body.faults.isEmpty else {
            return try await answerAgain(request, compiled.catalogue, admitting: admit) ?? .invalid(body.faults)
        }
        let intents = body.events.flatMap(\.intents)
        try admit(intents.count)
        do {
            switch try await desk.reserve(ReservationRequest(intents, named: Self.named(request))) {
            case .nameReused: return .nameReused
            case .conflict(let position, let existing):
                return .conflict(existing: existing, pointer: Self.pointer(of: position, in: body.events))
            case .reserved(let ids):
                let events = body.events.map { OutgoingEvent($0) }
                let answer = await publish(events, ids: ids, catalogue: compiled.catalogue, of: request)
                return answer ?? .accepted(zip(intents, ids).map { SubmittedNotification($0, id: $1) })
            }
        } catch {
            logger.warning("cannot reserve the ids of a request", metadata: ["error": "\(error)"])
            return .unavailable(retryAfter: Self.retryAfter)
        }
    }

    /// Answers a request that would be refused now, if the same key got an answer to it under the same name before. Returns nil if not.
    ///
    /// A caller who had no answer must not be told that nothing was sent. The events are published again while a router may not have them:
    /// the first request may have ended between its two steps. The router judges them then.
    private func answerAgain(
        _ request: SubmittedRequest, _ catalogue: Catalogue, admitting admit: @Sendable (_ notifications: Int) throws -> Void
    ) async rethrows -> SubmissionResult? {
        guard let named = Self.named(request), let body = RepeatedBody(request, limits: IntentLimits()) else { return nil }
        let found: EarlierAnswer?
        do {
            found = try await store.reservations.earlierAnswer(to: named)
        } catch {
            logger.warning("cannot look for the earlier answer to a request", metadata: ["error": "\(error)"])
            return .unavailable(retryAfter: Self.retryAfter)
        }
        guard let earlier = found, earlier.ids.count == body.notifications else { return nil }
        try admit(earlier.ids.count)
        if !earlier.isDecided {
            let events = body.events.map { OutgoingEvent($0) }
            if let failure = await publish(events, ids: earlier.ids, catalogue: catalogue, of: request) { return failure }
        }
        let people = body.events.flatMap { event in event.recipients.map { (event, $0) } }
        return .accepted(
            zip(people, earlier.ids).map { person, id in
                SubmittedNotification(id: id, recipient: person.1, source: person.0.source, eventID: person.0.id)
            })
    }

    /// The fingerprint covers everything that decides the notifications. Parameters of the content type decide nothing: the body is UTF-8.
    private static func named(_ request: SubmittedRequest) -> NamedRequest? {
        request.name.map { name in
            let media = MediaType(request.contentType)?.essence ?? request.contentType ?? ""
            return NamedRequest(caller: request.key.id, key: name, fingerprint: SHA256.hash(Array(media.utf8) + [0] + request.body))
        }
    }

    private static func pointer(of position: Int, in events: [SubmittedBody.Event]) -> String {
        var end = 0
        return events.first { event in
            end += event.intents.count
            return position < end
        }?.pointer ?? ""
    }

    /// Publishes each event as a message of its own. Returns nil when the broker has confirmed all of them.
    private func publish(
        _ events: [OutgoingEvent], ids: [NotificationID], catalogue: Catalogue, of request: SubmittedRequest
    ) async -> SubmissionResult? {
        let categories = events.map { catalogue.types[$0.type]?.category ?? .system }
        let loads = zip(events, categories).map { event, category in event.load(in: QueueNames.intakeLane(of: category)) }
        let isWithin = allowance?.choose(loads) ?? loads.map { _ in true }
        var rest = ids[...]
        let messages = events.indices.map { index in
            let event = events[index]
            let key = QueueNames.routingKey(category: categories[index], type: event.type, isOverflow: !isWithin[index])
            defer { rest = rest.dropFirst(event.notifications) }
            return message(event, ids: Array(rest.prefix(event.notifications)), routingKey: key, of: request)
        }
        let results = await confirmed(messages)
        allowance?.giveBack(loads, chosen: isWithin, after: results)
        let missing: PublishResult? = results.count < messages.count ? .failed(.stopped) : nil
        guard let problem = missing ?? results.first(where: { $0 != .confirmed }) else { return nil }
        logger.warning(
            "the broker did not confirm the events of a request", metadata: ["events": "\(events.count)", "answer": "\(problem)"])
        switch problem {
        case .confirmed: return nil
        case .nacked, .failed(.stopped): return .blocked(retryAfter: Self.retryAfter)
        case .returned, .failed: return .unavailable(retryAfter: Self.retryAfter)
        }
    }

    private func message(
        _ event: OutgoingEvent, ids: [NotificationID], routingKey key: String, of request: SubmittedRequest
    ) -> OutgoingMessage {
        var headers: [String: AMQPValue] = [
            QueueNames.producerHeader: .string(request.key.producer), QueueNames.idsHeader: ReservedIDs.encode(ids),
        ]
        if let traceparent = request.traceparent.flatMap({ TraceParent.validated($0) }) { headers["traceparent"] = .string(traceparent) }
        // The message id must differ from those in flight. Event ids of two sources may be equal, and a request may come twice at once.
        return OutgoingMessage(
            exchange: QueueNames.intentsExchange, routingKey: key, body: event.bytes, contentType: ContentMode.structuredType,
            messageID: store.clock.nextID().description, headers: headers)
    }

    /// Publishes messages and waits for their confirms, at most ``confirmPatience``. After that, each message without a confirm has the
    /// result `.failed(.stopped)`, and messages that were not sent yet are never sent.
    private func confirmed(_ messages: [OutgoingMessage]) async -> [PublishResult] {
        await withTaskGroup(of: [PublishResult]?.self) { group in
            // The two tasks end each other: the first to end cancels the other one.
            group.addTask { await watch.publish(messages, by: publisher) }
            group.addTask {
                // Only time has to pass. The confirms cancel the sleep.
                try? await Task.sleep(for: Self.confirmPatience)
                return nil
            }
            var results: [PublishResult] = []
            for await answer in group {
                group.cancelAll()
                if let answer { results = answer }
            }
            return results
        }
    }
}

extension SubmittedNotification {
    fileprivate init(_ decoded: DecodedIntent, id: NotificationID) {
        self.init(id: id, recipient: decoded.intent.recipient, source: decoded.intent.source, eventID: decoded.intent.id)
    }
}
