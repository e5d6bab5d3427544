public import TidingsCore
public import TidingsHTTP

extension HTTPFailure {
    /// The outcome of a delivery whose call got no response. If the request may have arrived, the outcome is `unknown`. Otherwise the
    /// delivery is retried, because the retry repeats nothing.
    ///
    /// An unusable address or header counts as the operator's mistake. See ``outcomeAtRecipientsAddress`` for addresses that come
    /// from recipients.
    public var outcome: Outcome {
        switch kind {
        case .dns: .retry(after: nil, .dnsFailed)
        case .connect: .retry(after: nil, .connectionFailed)
        case .tls: .retry(after: nil, .tlsFailed)
        case .timeoutBeforeSend: .retry(after: nil, .timeout)
        case .noRoom: .retry(after: nil, .rateLimited)
        case .timeoutAfterSend: requestMayHaveArrived ? .unknown(.timeout) : .retry(after: nil, .timeout)
        case .resetAfterSend, .protocolError, .cancelled:
            requestMayHaveArrived ? .unknown(.outcomeUnknown) : .retry(after: nil, .connectionFailed)
        case .addressRefused, .schemeRefused, .portRefused, .invalidURL, .invalidHeader: .misconfigured(.misconfigured)
        }
    }

    /// The outcome of a delivery to an address that its recipient chose. A bad address is then no fault of the operator.
    public var outcomeAtRecipientsAddress: Outcome {
        switch kind {
        case .addressRefused, .schemeRefused, .portRefused, .invalidURL: .rejected(.addressRefused)
        case .invalidHeader: .rejected(.providerRejected)
        default: outcome
        }
    }
}
