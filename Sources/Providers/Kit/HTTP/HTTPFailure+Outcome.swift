public import TidingsCore
public import TidingsHTTP

extension HTTPFailure {
    /// The outcome of a delivery whose call got no response. If the request may have arrived, the outcome is `unknown`. Otherwise the
    /// delivery is retried, because the retry repeats nothing.
    ///
    /// An unusable address or header counts as the operator's mistake. A provider whose addresses come from recipients handles those kinds
    /// of failure itself, before it uses this outcome.
    public var outcome: Outcome {
        switch kind {
        case .dns: .retry(after: nil, .dnsFailed)
        case .connect: .retry(after: nil, .connectionFailed)
        case .tls: .retry(after: nil, .tlsFailed)
        case .timeoutBeforeSend: .retry(after: nil, .timeout)
        case .timeoutAfterSend: requestMayHaveArrived ? .unknown(.timeout) : .retry(after: nil, .timeout)
        case .resetAfterSend, .protocolError, .cancelled:
            requestMayHaveArrived ? .unknown(.outcomeUnknown) : .retry(after: nil, .connectionFailed)
        case .addressRefused, .schemeRefused, .portRefused, .invalidURL, .invalidHeader: .misconfigured(.misconfigured)
        }
    }
}
