import TidingsCore
import TidingsJSON

/// A decision as the JSON text that `tidings.notifications.decision` and `tidings.decisions.decision` hold.
///
/// `{"strategy": "all", "market"?, "rules": [text], "notes": [code], "deliveries": [planned]}`, each planned delivery
/// `{"channel", "provider", "endpoint"?, "market"?, "copy"?, "standby"?, "verdict": "send"|"hold"|"awaitEscalation"|"notSent", "until"?, "state"?,
/// "reason"?, "pause"?}`. `market` is left out when it is `default`, and of a delivery planned with others when it is that of the decision.
enum DecisionText {
    static func encode(_ decision: Decision, notes: [ReasonCode]) -> String {
        var writer = JSONWriter(capacity: 384)
        writer.beginObject()
        writer.member("strategy", decision.strategy.rawValue)
        if !decision.market.isEmpty, decision.market != impliedMarket { writer.member("market", decision.market) }
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
        for planned in decision.deliveries { write(planned, in: decision.market, to: &writer) }
        writer.endArray()
        writer.endObject()
        return writer.text
    }

    static func encode(_ planned: PlannedDelivery) -> String {
        var writer = JSONWriter(capacity: 160)
        write(planned, in: impliedMarket, to: &writer)
        return writer.text
    }

    /// Returns the deliveries on a channel that were sent or were to be sent, each with its ordinal. The verdict is only read for whether
    /// the delivery was open.
    static func open(on channel: Channel, in decision: String) -> [(ordinal: Int, planned: PlannedDelivery)] {
        let deliveries = (try? JSON.parse(decision))?["deliveries"]?.arrayValue ?? []
        return deliveries.enumerated().compactMap { ordinal, planned in
            guard planned["channel"]?.stringValue == channel.rawValue, planned["verdict"]?.stringValue != "notSent" else { return nil }
            return (
                ordinal,
                PlannedDelivery(
                    channel: channel, provider: planned["provider"]?.stringValue ?? "", endpoint: planned["endpoint"]?.stringValue,
                    verdict: .awaitEscalation, isCopy: planned["copy"]?.boolValue ?? false)
            )
        }
    }

    /// The market of the built-in catalogue. Most decisions have it, so their text leaves it out.
    private static let impliedMarket = "default"

    private static func write(_ planned: PlannedDelivery, in market: String, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("channel", planned.channel.rawValue)
        writer.member("provider", planned.provider)
        if let endpoint = planned.endpoint { writer.member("endpoint", endpoint) }
        if let own = planned.market, own != market { writer.member("market", own) }
        if planned.isCopy { writer.member("copy", true) }
        if planned.standby != .nobody { writer.member("standby", true) }
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
