public import TidingsCore
public import TidingsHTTP

extension HTTPResponse {
    /// The body as text, for the detail of a result. Bytes that are not UTF-8 are replaced.
    public var text: String { String(decoding: body, as: UTF8.self) }

    /// Returns the pause that the header `Retry-After` asks for. Nil if the header is absent or has another form.
    public func requestedPause(now: Timestamp) -> Duration? { header("retry-after").flatMap { retryAfter($0, now: now) } }
}
