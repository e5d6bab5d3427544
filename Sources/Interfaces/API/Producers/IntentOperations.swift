import HTTPTypes
import TidingsCore
import TidingsEncodings
import TidingsHTTPServer
import TidingsJSON
import TidingsPipeline
import TidingsStore
import TidingsWeb

/// Intents of producers, and the answers to their question about what happened.
struct IntentOperations: Sendable {
    let services: APIServices
    let submission: IntentSubmission

    var all: [Operation] {
        [
            Operation(.post, "/v1/intents", "sendIntents", .key(.intentsWrite), hasBody: true) { try await send($0) },
            Operation(.get, "/v1/notifications/{id}", "getNotification", .key(.notificationsRead)) { try await explain($0) },
            Operation(.post, "/v1/notifications/{id}/cancel", "cancelNotification", .key(.notificationsCancel)) { try await cancel($0) },
        ]
    }

    // MARK: Sending

    private func send(_ call: APICall) async throws -> ServerResponse {
        let type = call.request.header(.contentType)
        guard let media = MediaType(type), Self.mediaTypes.contains(media.essence) else {
            throw Problem(.unsupportedMediaType, "Send one of \(Self.mediaTypes.joined(separator: ", ")).")
        }
        guard media.isUTF8 else { throw Problem(.unsupportedMediaType, "Send the body in UTF-8.") }
        let name = try Self.name(of: call.request)
        let body = try await call.body(upTo: APILimits.intentBytes)
        let request = SubmittedRequest(
            body: body, contentType: type, name: name, traceparent: call.request.header(.traceparent), key: try call.key)
        let place = call.place
        let result = try await submission.submit(request) { count in
            if let place { try place.reserve(notifications: count) }
        }
        switch result {
        case .accepted(let notifications): return Self.accepted(notifications)
        case .invalid(let faults): throw Self.problem(faults)
        case .conflict(let existing, let pointer):
            throw Problem(
                .idempotencyConflict, "The notification \(existing) has the same source and id, and other content.",
                fields: [.body(pointer, "was sent before with other content", code: ReasonCode.idempotencyConflict.rawValue)])
        case .nameReused: throw Problem(.idempotencyReuse, "Use a new Idempotency-Key for another body.")
        case .blocked(let retryAfter):
            throw Problem.unavailable("The broker does not confirm at the moment. Send the same request again.", retryAfter: retryAfter)
        case .unavailable(let retryAfter):
            throw Problem.unavailable("A server does not answer at the moment. Send the same request again.", retryAfter: retryAfter)
        }
    }

    private static let mediaTypes = ["application/cloudevents+json", "application/cloudevents-batch+json", "application/json"]

    /// The `Idempotency-Key`. Quotation marks around it, which the draft of its standard asks for, do not belong to it.
    private static func name(of request: ServerRequest) throws -> String? {
        let values = request.head.headerFields[values: .idempotencyKey]
        guard var name = values.first else { return nil }
        guard values.count == 1 else { throw Problem.invalid(.parameter("Idempotency-Key", "is given twice")) }
        if name.utf8.count >= 2, name.hasPrefix("\""), name.hasSuffix("\"") { name = String(name.dropFirst().dropLast()) }
        guard SubmittedRequest.isName(name), !name.contains("\"") else {
            let detail = "must be 1 to \(SubmittedRequest.longestName) printable ASCII characters without spaces and quotation marks inside"
            throw Problem.invalid(.parameter("Idempotency-Key", detail))
        }
        return name
    }

    private static func accepted(_ notifications: [SubmittedNotification]) -> ServerResponse {
        .json(.accepted) { json in
            json.beginObject()
            json.key("notifications")
            json.beginArray()
            for notification in notifications {
                json.beginObject()
                json.member("id", notification.id.description)
                json.member("recipient", notification.recipient)
                json.member("source", notification.source)
                json.member("eventId", notification.eventID)
                json.endObject()
            }
            json.endArray()
            json.endObject()
        }
    }

    private static func problem(_ faults: [SubmissionFault]) -> Problem {
        // Bytes that are no JSON at all are no fault of a field.
        if faults.count == 1, faults[0].reason == .notJSON, faults[0].pointer.isEmpty { return Problem(.malformed, faults[0].message) }
        if faults.contains(where: { $0.reason == .tenantForbidden }) {
            let fields = faults.map { Problem.Field.body($0.pointer, $0.message, code: $0.reason.rawValue) }
            return Problem(.forbidden, "The key may not name this tenant.", fields: fields)
        }
        if faults.count == 1, faults[0].reason == .messageTooLarge { return Problem(.payloadTooLarge, faults[0].message) }
        return Problem(.invalid, fields: faults.map { .body($0.pointer, $0.message, code: $0.reason.rawValue) })
    }

    // MARK: Asking

    private func explain(_ call: APICall) async throws -> ServerResponse {
        let (id, key) = (try call.notificationID(), try call.key)
        guard let found = try await services.store.reservations.notification(id, tenant: key.tenant) else { throw Problem(.notFound) }
        return .json { NotificationAnswer(found).write(to: &$0) }
    }

    /// Cancels the deliveries, or the intent as a whole if no router has decided it.
    private func cancel(_ call: APICall) async throws -> ServerResponse {
        let (asked, key) = (try call.notificationID(), try call.key)
        guard let found = try await services.store.reservations.notification(asked, tenant: key.tenant) else { throw Problem(.notFound) }
        if found.isErased { return CancelAnswer.ended.response }
        if let response = try await cancel(found) { return response }
        switch try await services.store.reservations.cancel(asked, tenant: key.tenant, reason: .cancelledByProducer) {
        case .cancelled: return CancelAnswer.cancelled.response
        case nil: throw Problem(.notFound)
        case .decided:
            // A router has decided meanwhile. If the id still names no notification, the router refuses the event and sends nothing.
            let decided = try await services.store.reservations.notification(asked, tenant: key.tenant)
            guard let decided, let response = try await cancel(decided) else { return CancelAnswer.ended.response }
            return response
        }
    }

    /// Nil if there is no notification. Its id may not be the one that was asked for: another notification may keep a promise.
    private func cancel(_ found: PromisedNotification) async throws -> ServerResponse? {
        guard let results = try await services.store.operations.cancel(found.id, reason: .cancelledByProducer) else { return nil }
        return CancelAnswer.response(results, of: found.deliveries)
    }
}

extension HTTPField.Name {
    fileprivate static let idempotencyKey = HTTPField.Name(known: "idempotency-key")
    fileprivate static let traceparent = HTTPField.Name(known: "traceparent")
}
