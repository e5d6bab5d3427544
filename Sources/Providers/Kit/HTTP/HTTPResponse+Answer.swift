public import TidingsCore
public import TidingsHTTP

extension HTTPResponse {
    /// The answer as text, for the detail of a result: the body, in which bytes that are not UTF-8 are replaced. A redirect begins with its
    /// target, because the operator has to know it. The query of the target stays out, because it may be a secret of the receiver.
    public var text: String {
        let text = String(decoding: body, as: UTF8.self)
        guard (300...399).contains(status), let target = header("location"), !target.isEmpty else { return text }
        let place = target.prefix { $0 != "?" && $0 != "#" }
        let redirect = "redirect to \(place)\(place.endIndex == target.endIndex ? "" : "?…")"
        return text.isEmpty ? redirect : "\(redirect): \(text)"
    }

    /// Returns the pause that the header `Retry-After` asks for. Nil if the header is absent or has another form.
    public func requestedPause(now: Timestamp) -> Duration? { header("retry-after").flatMap { retryAfter($0, now: now) } }
}
