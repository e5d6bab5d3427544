import TidingsContracts
import TidingsCore

/// An event of a request on its way to the broker.
struct OutgoingEvent {
    let bytes: [UInt8]
    let type: String
    let tenant: String
    /// The number of notifications, and so of ids, that belong to the event.
    let notifications: Int

    init(_ event: SubmittedBody.Event) {
        let first = event.intents.first?.intent
        (bytes, type, tenant, notifications) = (event.bytes, first?.type ?? "", first?.tenant ?? "", event.intents.count)
    }

    init(_ event: RepeatedBody.Event) {
        (bytes, type, tenant, notifications) = (event.bytes, event.type, event.tenant, event.recipients.count)
    }
}
