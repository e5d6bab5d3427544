import TidingsContracts
import TidingsCore
import TidingsCrypto
import TidingsJSON

/// The bytes that are kept of a refused message, so that an operator can read them and, where possible, replay them.
struct RejectedBytes {
    private let received: ArraySlice<UInt8>
    /// An event of binary mode as a structured event. Nil if the received bytes contain everything.
    private let restated: [UInt8]?
    private let contentType: String?
    private let limits: IntentLimits

    /// - Parameter range: the event in the message's body. The whole body if the message is refused as a whole.
    init(_ message: IncomingMessage, _ range: Range<Int>, limits: IntentLimits) {
        received = message.body[range]
        self.limits = limits
        switch ContentMode(message) {
        case .structured:
            (restated, contentType) = (nil, ContentMode.structuredType)
        case .batch:
            (restated, contentType) = (nil, range == message.body.indices ? ContentMode.batchType : ContentMode.structuredType)
        case .binary(let attributes):
            let whole = range.count <= limits.maximumEventBytes ? RejectedBytes.structured(attributes, data: message.body) : nil
            // With its attributes the event may be too large to be replayed.
            restated = whole.flatMap { $0.count <= limits.maximumEventBytes ? $0 : nil }
            contentType = restated == nil ? message.contentType : ContentMode.structuredType
        case .cut, .unsupported:
            (restated, contentType) = (nil, message.contentType)
        }
    }

    func rejection(_ problem: EventProblem) -> Rejection {
        let isWhole = received.count <= limits.maximumEventBytes
        let raw = restated ?? Array(isWhole ? received : received.prefix(limits.keptRawBytes))
        let media = contentType.map { MediaType($0).essence }
        var rejection = Rejection(
            reason: problem.reason, pointer: problem.pointer, message: problem.message, raw: raw, contentType: contentType,
            size: received.count, sha256: SHA256.hash(received),
            isReplayable: isWhole && problem.mayPassLater && (media == ContentMode.structuredType || media == ContentMode.batchType))
        rejection.violations = problem.violations
        return rejection
    }

    /// Nil if the data is not JSON, because then there is no structured form.
    private static func structured(_ attributes: [(name: String, value: String)], data: [UInt8]) -> [UInt8]? {
        var event = JSONObject(binaryAttributes: attributes)
        if !data.isEmpty {
            guard let json = try? JSON.parse(data, limits: .binaryData) else { return nil }
            event["data"] = json
        }
        return JSON.object(event).serializedBytes
    }
}

extension JSONObject {
    /// The attributes of an event of binary mode, whose names differ. Its data is added later.
    init(binaryAttributes attributes: [(name: String, value: String)]) {
        self.init(uniqueEntries: attributes.filter { $0.name != "data" }.map { Entry(key: $0.name, value: .string($0.value)) })
    }
}

extension Rejection {
    /// The longest text of an event that is kept beside its raw bytes, in code points. One character may consist of thousands of code
    /// points.
    private static let longestText = 256

    /// Adds the members that the event has, as far as they can be read.
    mutating func describe(_ event: JSONObject) {
        func text(_ value: JSON?) -> String? { value?.stringValue.map { String($0.unicodeScalars.prefix(Rejection.longestText)) } }
        source = text(event["source"])
        eventID = text(event["id"])
        type = text(event["type"])
        tenant = text(event["data"]?["tenant"])
        if let many = event["data"]?["recipients"]?.arrayValue {
            recipients = max(1, Set(many.compactMap { $0.stringValue.map { Array($0.utf8) } }).count)
        }
    }
}
