extension ReasonExplanation {
    /// The reasons of single attempts.
    static let attempts: [ReasonExplanation] = [
        ReasonExplanation(
            .providerThrottled,
            "The provider asked to slow down.",
            "Nothing. If this happens often, lower the rate limit of the provider to the rate that the provider allows.",
            retryable: true,
            explains: [.retrying, .failed]
        ),
        ReasonExplanation(
            .providerUnavailable,
            "The provider answered with a server error.",
            "Look at the provider's status page.",
            retryable: true,
            explains: [.retrying, .failed]
        ),
        ReasonExplanation(
            .timeout,
            "The provider did not answer within the time limit.",
            "Check the provider's latency. Raise the timeout only if the provider is known to be slow.",
            retryable: true,
            explains: [.retrying, .failed]
        ),
        ReasonExplanation(
            .connectionFailed,
            "The connection to the provider failed, or broke before the request was sent.",
            "Check network, firewall and the provider's address.",
            retryable: true,
            explains: [.retrying, .failed]
        ),
        ReasonExplanation(
            .providerRejected,
            "The provider refused this message and would refuse it again.",
            "Read the attempt's detail, correct the content or the address, then retry.",
            explains: [.failed, .retrying]
        ),
        ReasonExplanation(
            .httpStatus,
            "The receiver answered with an HTTP status that does not mean success.",
            "Read the attempt's status and detail.",
            retryable: true,
            explains: [.retrying, .failed]
        ),
        ReasonExplanation(
            .redirectRefused,
            "The receiver answered with a redirect, and redirects are never followed.",
            "Set the address to the target of the redirect.",
            explains: [.failed, .retrying]
        ),
        ReasonExplanation(
            .addressRefused,
            "The address is not allowed: it is malformed, or leads into a private network.",
            "Correct the address, or allow the network in the provider's settings.",
            explains: [.failed, .retrying]
        ),
        ReasonExplanation(
            .responseTooLarge,
            "The answer was larger than the limit.",
            "Have the receiver answer with a short body.",
            retryable: true,
            explains: [.retrying, .failed]
        ),
        ReasonExplanation(
            .tlsFailed,
            "The TLS connection is not trusted: the certificate or the protocol is wrong.",
            "Check the receiver's certificate and its chain.",
            retryable: true,
            explains: [.retrying, .failed]
        ),
        ReasonExplanation(
            .dnsFailed,
            "The name of the host could not be resolved.",
            "Check the host name and the resolver.",
            retryable: true,
            explains: [.retrying, .failed]
        ),
        ReasonExplanation(
            .misconfigured,
            "The provider's configuration is wrong: credentials, topic or address.",
            "Correct the provider's settings in the catalogue, then retry.",
            explains: [.failed, .retrying]
        ),
        ReasonExplanation(
            .retriesExhausted,
            "Every allowed attempt was made and none succeeded.",
            "Read the attempts. Retry after their cause is removed.",
            retryable: true,
            explains: [.failed]
        ),
        ReasonExplanation(
            .outcomeUnknown,
            "The delivery may or may not have arrived: the request was sent, and no answer came.",
            "Ask the provider about the message id. Retry only if a duplicate is harmless.",
            retryable: true,
            explains: [.retrying, .failed]
        ),
        ReasonExplanation(
            .workerDied,
            "The worker died while it was sending.",
            "Nothing. If this repeats for one message, see `tidings dead list`.",
            retryable: true,
            explains: [.retrying, .failed]
        ),
        ReasonExplanation(
            .breakerOpen,
            "The provider, its host or this endpoint kept failing, so a circuit breaker is open and calls are paused.",
            "Check the provider's errors. Tidings makes trial calls by itself.",
            retryable: true,
            explains: [.held, .retrying]
        ),
        ReasonExplanation(
            .rateLimited,
            "The rate limit that Tidings keeps for this provider is reached.",
            "Nothing. Raise the limit if the provider allows it.",
            retryable: true,
            explains: [.held, .retrying]
        ),
        ReasonExplanation(
            .tokenMalformed,
            "The device token does not have the form of this provider's tokens.",
            "Let the app register again with the token from its platform, and name the provider.",
            explains: [.failed, .retrying]
        ),
        ReasonExplanation(
            .payloadTooLarge,
            "The message is larger than the provider's limit.",
            "Shorten the data, and let the app fetch the rest. Tidings shortens title and body by itself.",
            explains: [.failed]
        ),
        ReasonExplanation(
            .contentMissing,
            "The notification would show nothing: it has neither a title nor a body, and its type is not silent.",
            "Give the type a title or body in the catalogue, send one with the intent, or declare the type silent.",
            explains: [.failed]
        ),
    ]
}
