extension ReasonExplanation {
    /// The reasons of single attempts.
    static let attempts: [ReasonExplanation] = [
        ReasonExplanation(
            .providerThrottled,
            "The provider asked to slow down.",
            "Nothing. If it is frequent, lower the provider's rate limit to what it allows.",
            retryable: true,
            explains: [.retrying, .failed]
        ),
        ReasonExplanation(
            .providerUnavailable,
            "The provider is out of order: it answered with a server error.",
            "Look at the provider's status page.",
            retryable: true,
            explains: [.retrying, .failed]
        ),
        ReasonExplanation(
            .timeout,
            "No answer within the time limit.",
            "Look at the provider's latency. Raise its timeout only if it is known to be slow.",
            retryable: true,
            explains: [.retrying, .failed]
        ),
        ReasonExplanation(
            .connectionFailed,
            "No connection to the provider, or it broke before the request had left.",
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
            "The receiver answered with an HTTP status that is no success.",
            "Read the attempt's status and detail.",
            retryable: true,
            explains: [.retrying, .failed]
        ),
        ReasonExplanation(
            .redirectRefused,
            "The receiver answered with a redirect, and redirects are never followed.",
            "Set the address to where the redirect points.",
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
            "No trusted TLS connection: certificate or protocol is wrong.",
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
            "Read the attempts; retry when their cause is gone.",
            retryable: true,
            explains: [.failed]
        ),
        ReasonExplanation(
            .outcomeUnknown,
            "It may or may not have arrived: the request had left and no answer came.",
            "Ask the provider by its message id; retry only if arriving twice is harmless.",
            retryable: true,
            explains: [.retrying, .failed]
        ),
        ReasonExplanation(
            .workerDied,
            "The worker died while it was sending.",
            "Nothing. If it repeats for one message, look under `tidings dead list`.",
            retryable: true,
            explains: [.retrying, .failed]
        ),
        ReasonExplanation(
            .breakerOpen,
            "The provider has been failing, so calls to it are paused.",
            "Look at the provider's errors; it is tried again by itself.",
            retryable: true,
            explains: [.held, .retrying]
        ),
        ReasonExplanation(
            .rateLimited,
            "Our own limit for this provider is reached.",
            "Nothing. Raise the limit if the provider allows it.",
            retryable: true,
            explains: [.held, .retrying]
        ),
        ReasonExplanation(
            .tokenMalformed,
            "The device's token is not what this provider's tokens look like.",
            "Have the app register again with the token that its platform gave it, naming the provider.",
            explains: [.failed, .retrying]
        ),
        ReasonExplanation(
            .payloadTooLarge,
            "What would be sent is larger than the provider takes.",
            "Send less: shorten the body or the data, and let the app fetch the rest.",
            explains: [.failed]
        ),
        ReasonExplanation(
            .contentMissing,
            "It would show nothing: it has neither a title nor a body, and its type is not silent.",
            "Give the type a title or body in the catalogue, send one with the intent, or declare the type silent.",
            explains: [.failed]
        ),
    ]
}
