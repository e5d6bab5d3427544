package import TidingsCore

extension Int {
    /// The number with a comma between thousands, and the noun in the singular or plural: `3,102 deliveries`.
    package func of(_ one: String, _ many: String? = nil) -> String {
        "\(grouped) \(self == 1 ? one : many ?? one + "s")"
    }

    /// The number with a comma between thousands.
    package var grouped: String {
        let digits = String(magnitude)
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return self < 0 ? "-" + text : text
    }
}

extension Timestamp {
    /// A time to come: `in 31 s` if it is less than two minutes away, so that a wait of seconds is seen to pass. Otherwise the minute.
    package func forecast(now: Timestamp) -> String {
        let wait = self - now
        if wait <= .zero { return "now" }
        return wait < .seconds(120) ? "in \(max(1, wait.components.seconds)) s" : minute(now: now)
    }

    /// The minute in UTC. The day is left out if the time is less than 20 hours from `now`, for within 20 hours no hour of the day repeats.
    package func minute(now: Timestamp) -> String {
        let text = rfc3339
        let time = "\(text.dropFirst(11).prefix(5)) UTC"
        let distance = now - self
        return distance < .seconds(72_000) && distance > .seconds(-72_000) ? time : "\(text.prefix(10)) \(time)"
    }
}
