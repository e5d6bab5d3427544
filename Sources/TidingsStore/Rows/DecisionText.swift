import TidingsCore
import TidingsWire

/// A decision as the JSON text that `tidings.notifications.decision` and `tidings.decisions.decision` hold.
///
/// `{"strategy": "all", "rules": [text], "notes": [code], "deliveries": [planned]}`, each planned delivery
/// `{"channel", "provider", "endpoint"?, "copy"?, "verdict": "send"|"hold"|"awaitEscalation"|"notSent", "until"?, "state"?, "reason"?, "pause"?}`.
enum DecisionText {
    static func encode(_ decision: Decision, notes: [ReasonCode]) -> String {
        var writer = JSONWriter(capacity: 384)
        writer.beginObject()
        writer.member("strategy", decision.strategy.rawValue)
        writer.key("rules")
        writer.beginArray()
        for rule in decision.rules { writer.string(rule) }
        writer.endArray()
        writer.key("notes")
        writer.beginArray()
        for note in notes + decision.notes { writer.string(note.rawValue) }
        writer.endArray()
        writer.key("deliveries")
        writer.beginArray()
        for planned in decision.deliveries { write(planned, to: &writer) }
        writer.endArray()
        writer.endObject()
        return writer.text
    }

    static func encode(_ planned: PlannedDelivery) -> String {
        var writer = JSONWriter(capacity: 160)
        write(planned, to: &writer)
        return writer.text
    }

    private static func write(_ planned: PlannedDelivery, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("channel", planned.channel.rawValue)
        writer.member("provider", planned.provider)
        if let endpoint = planned.endpoint { writer.member("endpoint", endpoint) }
        if planned.isCopy { writer.member("copy", true) }
        switch planned.verdict {
        case .send(let validUntil):
            writer.member("verdict", "send")
            writer.member("until", validUntil.rfc3339)
        case .hold(let until, let reason):
            writer.member("verdict", "hold")
            writer.member("until", until.rfc3339)
            writer.member("reason", reason.rawValue)
        case .paused(let pause, _):
            writer.member("verdict", "hold")
            writer.member("reason", ReasonCode.paused.rawValue)
            writer.key("pause")
            writer.integer(pause)
        case .awaitEscalation:
            writer.member("verdict", "awaitEscalation")
            writer.member("reason", ReasonCode.awaitingEscalation.rawValue)
        case .notSent(let state, let reason):
            writer.member("verdict", "notSent")
            writer.member("state", state.rawValue)
            writer.member("reason", reason.rawValue)
        }
        writer.endObject()
    }
}
