import TidingsContracts
import TidingsCore
import TidingsCrypto
import TidingsEncodings
import TidingsJSON

/// The bytes that are kept of a refused message, so that an operator can read them and, where possible, replay them.
///
/// The bytes and their content type are kept as they came. So a replay is the same message, and a further refusal of it counts in the same
/// row.
struct RejectedBytes {
    private let received: ArraySlice<UInt8>
    private let contentType: String?
    private let attributes: [HeaderAttribute]
    /// Whether intake reads messages of this form. A replay in any other form would be refused again.
    private let isReadable: Bool
    private let limits: IntentLimits

    /// - Parameter range: the event in the message's body. The whole body if the message is refused as a whole.
    init(_ message: IncomingMessage, _ range: Range<Int>, limits: IntentLimits) {
        received = message.body[range]
        self.limits = limits
        let mode = ContentMode(message)
        attributes = mode.headerAttributes(of: message)
        switch mode {
        case .structured:
            (contentType, isReadable) = (ContentMode.structuredType, true)
        case .batch:
            (contentType, isReadable) = (range == message.body.indices ? ContentMode.batchType : ContentMode.structuredType, true)
        case .binary:
            (contentType, isReadable) = (message.contentType, true)
        case .cut, .unsupported:
            (contentType, isReadable) = (message.contentType, false)
        }
    }

    func rejection(_ problem: EventProblem) -> Rejection {
        let isWhole = received.count <= limits.maximumEventBytes
        var rejection = Rejection(
            reason: problem.reason, pointer: problem.pointer, message: problem.message,
            raw: Array(isWhole ? received : received.prefix(limits.keptRawBytes)), contentType: contentType, size: received.count,
            sha256: SHA256.hash(received), isReplayable: isWhole && problem.mayPassLater && isReadable)
        rejection.attributes = attributes
        rejection.violations = problem.violations
        return rejection
    }
}

extension JSONObject {
    /// The attributes of an event of binary mode, whose names differ. Its data is added later.
    init(binaryAttributes attributes: [HeaderAttribute]) {
        self.init(uniqueEntries: attributes.filter { $0.name != "data" }.map { Entry(key: $0.name, value: .string($0.value)) })
    }
}

extension Rejection {
    /// Adds the names that the event claims.
    mutating func describe(_ claims: EventClaims) {
        (source, eventID, type, tenant) = (claims.source, claims.eventID, claims.type, claims.tenant)
        recipientIDs = claims.recipients
    }

    /// Sets the number of notifications that the event asks for.
    mutating func countRecipients(of event: JSONObject) {
        guard let many = event["data"]?["recipients"]?.arrayValue else { return }
        recipients = max(1, Set(many.compactMap { $0.stringValue.map { Array($0.utf8) } }).count)
    }
}
