/// The ways in which a service proves that it sent a callback. Each case is a value of the setting `callbackAuthentication`.
enum CallbackScheme: String, CaseIterable, Sendable {
    /// A header has the HMAC-SHA256 of the body, or of the body and a timestamp.
    case hmac
    /// The headers `webhook-id`, `webhook-timestamp` and `webhook-signature` of Standard Webhooks 1.0.0.
    case standardWebhooks
    /// A header has the secret itself. Anybody who sees one request can send others, so the connection must be TLS.
    case secret
}

/// The ways in which a header writes the bytes of a signature.
enum SignatureEncoding: String, CaseIterable, Sendable {
    case hex, base64
}

/// The ways in which a callback names its delivery.
enum ReferenceKind: String, CaseIterable, Sendable {
    /// By the idempotency key that the service got with the delivery.
    case delivery
    /// By the id that stood at `messageIdPath` in the service's answer.
    case message
}
