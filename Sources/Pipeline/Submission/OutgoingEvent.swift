import TidingsContracts
import TidingsCore

/// An event of a request on its way to the broker.
struct OutgoingEvent {
    let bytes: [UInt8]
    let type: String
    let tenant: String
    /// The number of notifications, and so of ids, that belong to the event.
    let notifications: Int
    private let recipientBytes: Int

    init(_ event: SubmittedBody.Event) {
        let first = event.intents.first?.intent
        self.init(event.bytes, first?.type ?? "", first?.tenant ?? "", event.intents.map(\.intent.recipient))
    }

    init(_ event: RepeatedBody.Event) { self.init(event.bytes, event.type, event.tenant, event.recipients) }

    private init(_ bytes: [UInt8], _ type: String, _ tenant: String, _ recipients: [String]) {
        (self.bytes, self.type, self.tenant, notifications) = (bytes, type, tenant, recipients.count)
        // Two quotation marks and a comma stand beside each name.
        recipientBytes = recipients.reduce(0) { $0 + $1.utf8.count + 3 }
    }

    /// The work of the event in the intake queue of a lane. The list of recipients is not part of a content: otherwise an event for 60
    /// people with long names would be large.
    func load(in lane: Lane) -> LaneLoad {
        LaneLoad(notifications, contentBytes: bytes.count - recipientBytes, of: tenant, in: lane)
    }
}
