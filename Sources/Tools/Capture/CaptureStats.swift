import TidingsJSON

/// Totals since the start, or since the last deletion of requests.
public struct CaptureStats: Sendable, Hashable {
    public var requests = 0
    /// Different values of `webhook-id`, and of message ids of stand-ins.
    public var distinctIDs = 0
    /// Ids that were answered 2xx at least once.
    public var acceptedIDs = 0
    /// Ids that were answered 2xx more than once. A receiver without deduplication would have acted twice on them.
    public var duplicatesAccepted = 0
    /// 2xx answers after the first of their id, over all ids.
    public var extraAccepted = 0
    public var withoutID = 0
    public var signatures: [SignatureVerdict: Int] = [:]
    /// Answers by status; 0 means no answer.
    public var statuses: [Int: Int] = [:]
    /// False if more than ``CaptureLimits/countedIDs`` ids were seen. The four numbers about ids are then too low.
    public var isExact = true

    public init() {}

    var json: [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.member("requests", requests)
        json.member("distinctIDs", distinctIDs)
        json.member("acceptedIDs", acceptedIDs)
        json.member("duplicatesAccepted", duplicatesAccepted)
        json.member("extraAccepted", extraAccepted)
        json.member("withoutID", withoutID)
        json.member("exact", isExact)
        json.key("signatures")
        json.beginObject()
        for verdict in SignatureVerdict.allCases { json.member(verdict.rawValue, signatures[verdict] ?? 0) }
        json.endObject()
        json.key("statuses")
        json.beginObject()
        for (status, count) in statuses.sorted(by: { $0.key < $1.key }) {
            json.member(status == 0 ? "none" : String(status), count)
        }
        json.endObject()
        json.endObject()
        return json.bytes
    }
}
