public import TidingsJSON

/// A type, provider or market of the active catalogue that a new catalogue lacks, with the number of its users.
public struct CatalogueRemoval: Sendable, Hashable, CustomStringConvertible {
    public enum Kind: String, Sendable { case type, provider, market }

    public let kind: Kind
    public let name: String
    /// Deliveries of this type or for this provider that are held, retried or recovered.
    public var waiting = 0
    /// Deliveries on this provider's channel that are scheduled or held for quiet hours. Their provider is chosen when they are due.
    public var undecided = 0
    /// Packs for this provider that are not finished, and the deliveries in them.
    public var packs = 0
    public var packed = 0
    /// Recipients and devices that name this market.
    public var recipients = 0
    /// Events of this type that producers wrote to the database and no relay has published yet.
    public var outgoing = 0
    /// Notifications of this type among the latest ``Store/catalogueLook``.
    public var recent = 0
    /// False if there are more waiting deliveries, or more accepted notifications, than the count reads.
    public var isWhole = true

    init(_ kind: Kind, _ name: String) {
        self.kind = kind
        self.name = name
    }

    /// Whether something needs the name, or may need it.
    var isNeeded: Bool { waiting + undecided + packs + recipients + outgoing + recent > 0 || !isWhole }

    public var description: String {
        let needs = needs
        return "\(kind.rawValue) \(name): " + (needs.isEmpty ? "nothing waits for it" : needs.joined(separator: "; "))
    }

    private var needs: [String] {
        var needs: [String] = []
        if packs > 0 { needs.append("\(packed) deliveries in \(packs) packs are queued for it") }
        if waiting > 0 { needs.append("\(isWhole ? "" : "at least ")\(waiting) held or retrying deliveries wait for it") }
        if undecided > 0 { needs.append("\(undecided) deliveries on its channel are held and may go to it when they are due") }
        if recipients > 0 { needs.append("\(recipients) recipients or devices belong to it") }
        if outgoing > 0 { needs.append("\(outgoing) events of it wait in the SQL outbox") }
        if recent > 0 { needs.append("\(recent) of the latest \(Store.catalogueLook) notifications are of it") }
        if needs.isEmpty, !isWhole { needs.append("whether anything waits for it is not known: too much waits to be counted") }
        return needs
    }

    public var json: JSON {
        func number(_ value: Int) -> JSON { .number(JSONNumber(Int64(value))) }
        return [
            "kind": .string(kind.rawValue), "name": .string(name), "waiting": number(waiting), "undecided": number(undecided),
            "packs": number(packs),
            "packed": number(packed),
            "recipients": number(recipients), "outgoing": number(outgoing), "recent": number(recent), "counted_all": .bool(isWhole),
        ]
    }
}
