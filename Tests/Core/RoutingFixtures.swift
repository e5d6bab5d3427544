import TidingsCore

/// A weekday noon in UTC, outside of ``nightWindow``.
let noon = instant("2026-06-10T12:00:00Z")
/// A midnight in UTC, inside ``nightWindow``.
let midnight = instant("2026-06-11T00:00:00Z")
let nightWindow = quiet("22:00", "07:00")

extension Catalogue {
    /// The built-in catalogue with providers for push, local and a copy of every push in market `mx`, and a social type that is pushed.
    static let withPush: Catalogue = {
        var catalogue = Catalogue.builtIn
        catalogue.types["poke"] = NotificationType(name: "poke", category: .social, channels: [.push, .inApp])
        catalogue.providers["apns"] = ProviderBinding(name: "apns", channel: .push, kind: "apns", addressing: .device)
        catalogue.providers["fcm"] = ProviderBinding(name: "fcm", channel: .push, kind: "fcm", addressing: .device)
        catalogue.providers["braze"] = ProviderBinding(name: "braze", channel: .push, kind: "braze", addressing: .person)
        catalogue.providers["dmp"] = ProviderBinding(name: "dmp", channel: .push, kind: "http", addressing: .person, copy: true)
        catalogue.providers["plan"] = ProviderBinding(name: "plan", channel: .local, kind: "plan", addressing: .device)
        catalogue.markets["default"]?.providers[.push] = ["apns", "fcm"]
        catalogue.markets["default"]?.providers[.local] = ["plan"]
        catalogue.markets["mx"] = Market(name: "mx", providers: [.push: ["fcm", "dmp"], .inApp: ["inbox"]])
        catalogue.markets["us"] = Market(name: "us", providers: [.push: ["braze", "dmp"], .inApp: ["inbox"]])
        return catalogue
    }()

    func with(_ type: NotificationType) -> Catalogue {
        var catalogue = self
        catalogue.types[type.name] = type
        return catalogue
    }
}

extension Intent {
    static func sample(_ type: String, _ change: (inout Intent) -> Void = { _ in }) -> Intent {
        var intent = Intent(source: "/shop", id: "o-17", type: type, recipient: "user-42", content: Content(title: "Hello", body: "World"))
        change(&intent)
        return intent
    }
}

extension RecipientFacts {
    static func sample(_ change: (inout RecipientFacts) -> Void = { _ in }) -> RecipientFacts {
        var facts = RecipientFacts(recipient: "user-42", version: 1)
        change(&facts)
        return facts
    }
}

extension Endpoint {
    static func phone(_ id: String = "phone", provider: String? = "apns", permission: Permission = .authorized, gone: Bool = false)
        -> Endpoint
    {
        Endpoint(id: id, channel: .push, provider: provider, address: "token-of-\(id)", permission: permission, isGone: gone)
    }

    static func hook(_ id: String = "hook", gone: Bool = false) -> Endpoint {
        Endpoint(id: id, channel: .webhook, address: "https://example.com/\(id)", isGone: gone)
    }
}

extension PlannedDelivery {
    /// The delivery as text for tables, such as `push/apns/phone send`.
    var summary: String {
        let place = [channel.rawValue, provider, endpoint ?? ""].filter { !$0.isEmpty }.joined(separator: "/")
        return switch verdict {
        case .send: "\(place) send"
        case .hold(_, let reason): "\(place) hold \(reason)"
        case .paused(let pause, _): "\(place) paused \(pause)"
        case .awaitEscalation: "\(place) await"
        case .notSent(let state, let reason): "\(place) \(state) \(reason)"
        }
    }
}

func decide(
    _ intent: Intent,
    _ facts: RecipientFacts = .sample(),
    in catalogue: Catalogue = .builtIn,
    pauses: Pauses = .none,
    at now: Timestamp = noon,
    acceptedAt: Timestamp? = nil
) -> Decision {
    route(intent, facts: facts, catalogue: catalogue, pauses: pauses, now: now, acceptedAt: acceptedAt ?? now)
}
