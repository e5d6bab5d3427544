/// The consequences of a failed request for its reports.
extension InboxError {
    /// The reports that wait for a pause after a request with reports of one kind. Nil if the error refuses the reports of the request, or
    /// the person's token.
    func pauseScope(of kind: Report.Kind) -> ReportPause.Scope? {
        switch self {
        // The delivery may not have ended yet, which says nothing about other reports.
        case .unavailable where kind == .receipt: .receipt
        // A token provider may throw `cancelled` although no task is.
        case .network, .malformedAnswer, .tokenUnavailable, .unavailable, .server, .cancelled: .all
        // A person may have had enough events for a day. The server takes receipts nevertheless.
        case .rateLimited: .kind
        // The path or the token is wrong, or something before the server answers. The age of the reports ends the tries.
        case .forbidden: .kind
        // A receipt names its notification in the path.
        case .notFound: kind == .receipt ? nil : .kind
        case .invalid(let status, _, _):
            switch status {
            case 400, 413, 422: nil
            case 408, 425: .all
            default: .kind
            }
        case .unauthorized, .tooManyChanges, .tooManyReports: nil
        }
    }

    /// The positions of the events that a refusal names, by pointers such as `/events/3/detail`.
    var refusedEvents: [Int] {
        let positions = fieldErrors.compactMap { error -> Int? in
            let parts = error.pointer.split(separator: "/")
            return parts.count > 1 && parts[0] == "events" ? Int(parts[1]) : nil
        }
        return Set(positions).filter { $0 >= 0 }.sorted()
    }
}
