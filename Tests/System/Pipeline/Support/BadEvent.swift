import Testing
import TidingsCore
import TidingsJSON

/// One mistake that a producer may make, as bytes on the wire, with the expected reason.
struct BadEvent: Sendable, CustomTestStringConvertible {
    let name: String
    let reason: ReasonCode
    let pointer: String
    let body: [UInt8]
    var contentType = Pipeline.structured

    var testDescription: String { name }
    /// A key that separates the rows of one case from all others.
    var routingKey: String { "transactional.bad-\(name)" }

    init(_ name: String, _ reason: ReasonCode, at pointer: String = "", _ body: [UInt8], contentType: String = Pipeline.structured) {
        (self.name, self.reason, self.pointer, self.body, self.contentType) = (name, reason, pointer, body, contentType)
    }

    init(_ name: String, _ reason: ReasonCode, at pointer: String = "", _ body: String, contentType: String = Pipeline.structured) {
        self.init(name, reason, at: pointer, Array(body.utf8), contentType: contentType)
    }

    /// Every case that a single message shows.
    static let all: [BadEvent] = inForm + inAttributes + inData + inTime + inSize

    private static let inForm = [
        BadEvent("notJSON", .notJSON, "hello"),
        BadEvent("emptyBody", .notJSON, ""),
        BadEvent("notAnObject", .notJSON, "[1,2,3]"),
        BadEvent("wrongContentType", .unsupportedContentType, event(id: "ct", to: "p"), contentType: "text/plain"),
        BadEvent("noContentType", .unsupportedContentType, event(id: "nct", to: "p"), contentType: ""),
        BadEvent(
            "deep", .tooDeep, at: "/data/data/deep" + String(repeating: "/0", count: JSONLimits.standard.maximumDepth - 3),
            nested(levels: 10_000)),
        BadEvent("duplicateKey", .duplicateKey, at: "/id", #"{"specversion":"1.0","id":"a","id":"b"}"#),
        BadEvent(
            "invalidUTF8", .invalidUTF8, at: "/data/title",
            replacing("☃", by: [0xC3, 0x28], in: event(id: "utf8", to: "p", title: "☃"))),
        BadEvent(
            "rawNUL", .nulCharacter, at: "/data/title",
            replacing("☃", by: [0], in: event(id: "nul", to: "p", title: "☃"))),
        BadEvent("escapedNUL", .nulCharacter, at: "/data/title", event(id: "nul2", to: "p", title: #"a\u0000b"#)),
    ]

    private static let inAttributes = [
        BadEvent("noID", .missingAttribute, at: "/id", #"{"specversion":"1.0","source":"/tests","type":"orderUpdate","data":{}}"#),
        BadEvent("noData", .missingAttribute, at: "/data", #"{"specversion":"1.0","id":"1","source":"/tests","type":"orderUpdate"}"#),
        BadEvent("unknownType", .unknownType, at: "/type", event(id: "type", type: "orderUpdated", to: "p")),
    ]

    private static let inData = [
        BadEvent(
            "schema", .schemaViolation, at: "/data/data",
            event(id: "schema", type: "downloadReady", to: "p", data: #""data":{"fileId":"f"}"#)),
        BadEvent("emptyRecipient", .emptyRecipient, at: "/data/recipient", event(id: "empty", to: "")),
        BadEvent(
            "noRecipient", .noRecipient, at: "/data",
            #"{"specversion":"1.0","id":"n","source":"/tests","type":"orderUpdate","data":{}}"#),
        BadEvent(
            "manyRecipients", .tooManyRecipients, at: "/data/recipients",
            #"{"specversion":"1.0","id":"m","source":"/tests","type":"orderUpdate","data":{"title":"T","recipients":["#
                + (0...1_000).map { "\"p\($0)\"" }.joined(separator: ",") + "]}}"),
        BadEvent("unknownChannel", .unknownChannel, at: "/data/channels/0", event(id: "ch", to: "p", data: #""channels":["pigeon"]"#)),
        BadEvent("unknownMarket", .unknownMarket, at: "/data/market", event(id: "mk", to: "p", data: #""market":"atlantis""#)),
        BadEvent(
            "notCritical", .criticalNotAllowed, at: "/data/critical",
            event(id: "cr", type: "social", to: "p", data: #""critical":true"#)),
    ]

    private static let inTime = [
        BadEvent("year1900", .scheduledTooFarInPast, at: "/data/scheduledFor", scheduled("1900-01-01T00:00:00Z")),
        BadEvent("year9999", .scheduledTooFarAhead, at: "/data/scheduledFor", scheduled("9999-12-31T23:59:59Z")),
        BadEvent("noOffset", .invalidAttribute, at: "/data/scheduledFor", scheduled("2030-01-01T00:00:00")),
    ]

    private static let inSize = [
        BadEvent("largeEvent", .tooLarge, event(id: "big", to: "p", title: String(repeating: "x", count: 256 << 10))),
        BadEvent("largeMessage", .messageTooLarge, event(id: "huge", to: "p", title: String(repeating: "x", count: 4 << 20))),
        BadEvent(
            "longBatch", .tooManyEvents, "[" + Array(repeating: "{}", count: 100_000).joined(separator: ",") + "]",
            contentType: Pipeline.batch),
        BadEvent("brokenBatch", .notJSON, #"[{"specversion":"1.0"}, "#, contentType: Pipeline.batch),
    ]

    private static func scheduled(_ time: String) -> String {
        event(id: time, to: "p", data: #""scheduledFor":"\#(time)""#)
    }

    /// An event whose data opens this many arrays.
    static func nested(levels: Int) -> String {
        event(
            id: "deep", to: "p",
            data: #""data":{"deep":"# + String(repeating: "[", count: levels) + String(repeating: "]", count: levels) + "}")
    }

    /// Puts bytes that no string can hold into a text.
    static func replacing(_ mark: String, by bytes: [UInt8], in text: String) -> [UInt8] {
        text.split(separator: mark, maxSplits: 1).map { Array($0.utf8) }.reduce([]) { $0.isEmpty ? $1 : $0 + bytes + $1 }
    }
}
