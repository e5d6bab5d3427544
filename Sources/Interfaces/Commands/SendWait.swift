import TidingsClient
import TidingsContracts
import TidingsCore
import TidingsJSON
import TidingsPipeline
import TidingsServer
import TidingsStore

/// Waits until an event that a command has published is decided and delivered, then explains it.
///
/// If the event's id was used before, the content decides, as in the router. With the same content the event is a duplicate: the existing
/// notification is the answer. With other content only a rejection is the answer.
///
/// A rejection counts only if it was seen after the command began. A rejection of an earlier try with the same id is ignored.
struct SendWait {
    /// The pause between two looks at the database, because no other process can signal a command. A person does not notice so short a
    /// delay.
    private static let look = Duration.milliseconds(50)

    private let event: PublishedEvent
    private let store: Store

    init(for event: IntentEvent, since: Timestamp, in store: Store) async throws {
        let message = IncomingMessage(body: event.encoded, contentType: "application/cloudevents+json")
        let decoder = IntentDecoder(catalogue: try await CatalogueSource(store, builtIn: .ofBinary).current)
        let intents = decoder.decode(message, rights: .unrestricted, now: store.clock.now()).intents
        self.event = PublishedEvent(source: event.source, id: event.id, since: since, intents: intents)
        self.store = store
    }

    /// Throws a ``Failure`` if the event was rejected, if a notification reached nobody, if a delivery failed, or at the deadline. The
    /// failure then names the seconds of the whole command.
    func explain(until deadline: ContinuousClock.Instant, after seconds: Int, as format: OutputFormat) async throws {
        repeat {
            if let refused = try await store.operations.rejection(of: event) {
                if format == .json { Output.list([], as: format, empty: "") }
                throw try Self.failure(refused)
            }
            let ids = try await store.operations.notificationIDs(of: event)
            let dropped = try await ids.count < event.intents.count ? store.operations.droppedIntents(of: event) : 0
            var rest = !event.intents.isEmpty && ids.count + dropped == event.intents.count
            for id in ids where rest { rest = try await store.operations.isAtRest(id) }
            if rest {
                let explanations = try await Explanation.all(of: ids, from: store)
                Explanation.print(explanations, as: format)
                let unreached = explanations.compactMap(\.unreached)
                if let first = unreached.first {
                    throw Failure(.bad, first + (unreached.count > 1 ? "; \(unreached.count - 1) more were not reached" : ""))
                }
                if explanations.contains(where: \.hasFailure) { throw Failure(.bad, "a delivery failed") }
                if dropped > 0 { throw Self.erased(dropped, of: event.intents.count) }
                return
            }
            // Poll: a committed row signals nobody.
            try await Task.sleep(for: Self.look)
        } while ContinuousClock.now < deadline
        throw Failure(
            .timedOut, "the intent is not finished after \(seconds) s; the broker confirmed the event \(event.id)",
            hint: "tidings find \(event.id)")
    }

    private static func erased(_ dropped: Int, of all: Int) -> Failure {
        let whom = all == 1 ? "the person was erased" : "\(dropped) of \(all) people were erased"
        return Failure(.bad, "dropped: recipientErased: \(whom)", hint: ReasonCode.recipientErased.whatToDo)
    }

    private static func failure(_ refused: JSON) throws(ReportError) -> Failure {
        let (reason, text): (String, String) = (try refused.column("reason_code"), try refused.column("message"))
        let pointer = try refused.column("pointer", as: String.self)
        let number = try refused.column("rejected_id", as: Int.self)
        return Failure(
            .bad, "rejected: \(reason)\(pointer.isEmpty ? "" : " at \(pointer)"): \(text)", hint: "tidings rejected show \(number)")
    }
}
