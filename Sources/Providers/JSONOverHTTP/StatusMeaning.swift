/// The meaning of an answer by its status alone. Each case is a setting of that name. A status that no setting lists refuses the delivery.
enum StatusMeaning: String, CaseIterable, Sendable {
    case success, retry, gone, misconfigured

    /// The default statuses, as an operator would write them.
    var standard: String {
        switch self {
        case .success: "200-299"
        case .retry: "408, 425, 429, 500-599"
        case .gone: "410"
        case .misconfigured: "401, 403"
        }
    }

    var explanation: String {
        switch self {
        case .success: "Statuses and ranges of them, from 200 to 599, that mean the delivery was taken."
        case .retry: "Statuses that mean it may work later, not before their Retry-After; `none` for none."
        case .gone: "Statuses that mean the address no longer exists and is never used again; `none` for none."
        case .misconfigured: "Statuses that mean a setting is wrong, such as the credentials; `none` for none."
        }
    }
}

/// A list of HTTP statuses, as an operator writes it: `408, 425, 500-599`.
struct StatusList: Sendable, Hashable {
    /// The final statuses of RFC 9110. Lower statuses are only interim answers.
    static let allowed = 200...599

    private let ranges: [ClosedRange<Int>]

    init(_ words: [String]) throws(SettingProblem) {
        guard words != ["none"] else {
            ranges = []
            return
        }
        var ranges: [ClosedRange<Int>] = []
        for word in words {
            let ends = word.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
            guard ends.count <= 2, let first = ends.first ?? nil, let last = ends.last ?? nil, first <= last, Self.allowed.contains(first),
                Self.allowed.contains(last)
            else { throw SettingProblem("\"\(word)\" is not a status from 200 to 599, or a range of them like 500-599") }
            ranges.append(first...last)
        }
        self.ranges = ranges
    }

    func contains(_ status: Int) -> Bool {
        ranges.contains { $0.contains(status) }
    }

    /// The first status that is in both lists.
    func firstShared(with other: StatusList) -> Int? {
        Self.allowed.first { contains($0) && other.contains($0) }
    }
}
