import TidingsContracts
import TidingsCore
import TidingsJSON
import TidingsStore

/// The events of a request that was accepted before, read without the catalogue and without the clock.
///
/// Both may have changed since: a type is gone, a right is withdrawn, or a time has passed. The earlier answer counts all the same.
struct RepeatedBody {
    struct Event {
        let bytes: [UInt8]
        let source: String
        let id: String
        let type: String
        let tenant: String
        /// One for each notification, in the order of the answer.
        let recipients: [String]
    }

    let events: [Event]

    /// Nil if the body is not of the form of an accepted one.
    init?(_ request: SubmittedRequest, limits: IntentLimits) {
        guard request.body.count <= limits.maximumMessageBytes else { return nil }
        do {
            switch SubmittedBody.form(of: request) {
            case .one: events = [try Event(request.body, limits: limits)]
            case .many:
                let ranges = try JSON.splitArray(request.body, maximumElements: limits.maximumEventsPerMessage)
                events = try ranges.map { try Event(Array(request.body[$0]), limits: limits) }
            case .unknown: return nil
            }
        } catch {
            return nil
        }
    }

    var notifications: Int { events.reduce(0) { $0 + $1.recipients.count } }
}

extension RepeatedBody.Event {
    fileprivate init(_ bytes: [UInt8], limits: IntentLimits) throws {
        guard case .object(let event) = try JSON.parse(bytes) else { throw EventProblem(.notJSON, "", "an event must be a JSON object") }
        let attributes = try EventAttributes(event, limits: limits)
        let request = try IntentRequest(attributes.data, limits: limits)
        var keys = IntentKey(tenant: request.tenant, source: attributes.source, id: attributes.id)
        var seen: Set<Digest128> = []
        self.bytes = bytes
        (source, id, type, tenant) = (attributes.source, attributes.id, attributes.type, request.tenant)
        // A recipient that is named twice counts once, as in the first answer.
        recipients = request.recipients.filter { seen.insert(keys.key(for: $0)).inserted }
    }
}
