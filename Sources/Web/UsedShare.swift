import TidingsJSON

/// The share of a caller, and the part of it that is used: the reason of an answer 429.
package struct UsedShare: Sendable, Hashable {
    /// The owner of a share.
    package enum Owner: String, CaseIterable, Sendable { case person, key, tenant, provider, address }

    /// The thing that is counted.
    package enum Unit: String, CaseIterable, Sendable { case requests, bytes, logins, notifications }

    package let owner: Owner
    package let unit: Unit
    /// The part of ``limit`` that is used at this moment.
    package let used: Int
    /// The most at once.
    package let limit: Int
    /// The amount that becomes free in a second. Nil if it becomes free when a request ends.
    package let perSecond: Int?

    package init(of owner: Owner, _ unit: Unit, used: Int, limit: Int, perSecond: Int?) {
        self.owner = owner
        self.unit = unit
        self.used = used
        self.limit = limit
        self.perSecond = perSecond
    }

    func write(to json: inout JSONWriter) {
        json.beginObject()
        json.member("of", owner.rawValue)
        json.member("unit", unit.rawValue)
        json.member("used", used)
        json.member("limit", limit)
        if let perSecond { json.member("perSecond", perSecond) }
        json.endObject()
    }

    /// The detail of the problem.
    var detail: String {
        let rate = perSecond.map { ", \($0) become free in a second" } ?? ""
        return "The \(owner.rawValue) has used \(used) of \(limit) \(unit.rawValue)\(rate). Try again after the time in Retry-After."
    }
}
